import { ask, askJob } from "../api.js";
import { h, place, plural, remedy, replace, severityBadge } from "../dom.js";
import { showDialog } from "../dialog.js";
import { progress } from "../progress.js";

export async function show(main, parameters, context) {
  const body = h("div", {});
  replace(main, h("div", { class: "page" }, h("h1", {}, "Problems"), body));
  const page = await askJob("/api/problems", progress(body, "Checking the hook files and this machine"), context.signal);
  const text = Object.entries(page.counts).filter(([, number]) => number).map(([severity, number]) => plural(number, severity)).join(", ");
  replace(body,
    h("p", { class: "quiet-text" }, `${plural(page.hooks, "hook")} in ${plural(page.files, "file")}: ${text || "no problems"}. The same: `, h("code", {}, "anyhook doctor"), "."),
    h("ul", { class: "problems" }, page.problems.map(problemItem)));
}

// One sentence, with the places that it is about.
export function problemItem(found) {
  const places = [...new Set(found.places.map((at) => [place(at.file, at.line), at.about].filter(Boolean).join(": ")))].filter(Boolean);
  const clients = [...new Set(found.places.map((at) => at.client))].filter(Boolean).join(", ");
  const open = { type: "button", class: "code", title: "Show the page of this rule", on: { click: () => openRule(found.code) } };
  return h("li", { class: "problem" },
    h("div", { class: "problem-head" }, severityBadge(found.severity), h("button", open, found.code), clients && h("span", { class: "quiet-text" }, clients)),
    h("p", {}, found.text),
    places.length > 0 && h("ul", { class: "places" }, places.map((at) => h("li", {}, at))),
    found.fix && h("p", { class: "fix" }, remedy(found.fix)));
}

async function openRule(code) {
  try {
    const page = await ask(`/api/rules/${code}`);
    showDialog(`Rule ${code}`, h("pre", { class: "rule" }, page.text));
  } catch (error) {
    showDialog(`Rule ${code}`, h("p", { class: "error" }, error.message));
  }
}
