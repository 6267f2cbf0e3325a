// The address says what is shown, #/page/part?client=codex&event=12, so that it can be kept, reloaded and gone back to.

import { h } from "./dom.js";

const FILTERS = ["client", "effect", "hook", "all"];
let filter = Object.fromEntries(FILTERS.map((name) => [name, ""])); // holds for all pages

export function parse(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [page, ...parts] = path.split("/").map(decode);
  return { page, parts, query: new URLSearchParams(query) };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// The address of a page, with the filter, and the event that is open, if any.
export function addressOf(page, parts = [], event = "") {
  const query = new URLSearchParams([...Object.entries(filter), ["event", event]].filter(([, value]) => value));
  return `#/${[page, ...parts].map(encodeURIComponent).join("/")}${query.size ? `?${query}` : ""}`;
}

// Events without a session are kept apart by their project, too.
export const sessionAddress = (view) => addressOf("sessions", [view.client, view.session, ...(view.session ? [] : [view.project])]);

export const isFiltered = () => Boolean(filter.client || filter.effect || filter.hook);
export const filtered = (name) => filter[name];

// What the server is asked for.
export const wanted = () => ({ client: filter.client, effect: filter.effect, hook: filter.hook, everywhere: filter.all });
export const scope = () => ({ everywhere: filter.all });

// What the page shows, whichever event is open beside it.
let shown = "";
const withoutEvent = () => {
  const { page, parts, query } = parse();
  query.delete("event");
  return JSON.stringify([page, parts, query.toString()]);
};
export const isShown = () => withoutEvent() === shown;
export const noteShown = () => { shown = withoutEvent(); };

export function setFilter(changed) {
  filter = { ...filter, ...changed };
  const { page, parts, query } = parse();
  history.replaceState(history.state, "", addressOf(page || "sessions", parts, query.get("event") || ""));
  noteShown();
}

// An address without a filter leaves the filter as it is, and gets it.
export function takeFilter() {
  const { page, query } = parse();
  if (FILTERS.some((name) => query.has(name))) filter = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) || ""]));
  else if (page && FILTERS.some((name) => filter[name])) setFilter({});
}

// Whether pages show the events of this project alone, as they do at first, or those of all projects.
export function scopeBox(about, onChange) {
  if (!about.project) return null;
  const change = (event) => {
    setFilter({ all: event.target.checked ? "" : "1" });
    onChange();
  };
  return h("label", { class: "check", title: about.project }, h("input", { id: "scope", type: "checkbox", checked: !filter.all, on: { change } }), "only this project");
}

export function seeAll(about) {
  if (!about.project || filter.all) return null;
  return h("button", { type: "button", on: { click: () => document.getElementById("scope").click() } }, "Show all projects");
}
