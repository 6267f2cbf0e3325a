import { askJob } from "../api.js";
import { badge, briefly, command, duration, h, hookName, place, plural, replace, severityBadge, short, table, time } from "../dom.js";
import { showDialog } from "../dialog.js";
import { problemItem } from "./problems.js";
import { progress } from "../progress.js";

const HEADS = ["Hook", "Event", "Clients", "Fired", "Blocked", "Failed", "p50", "p95", "Last fired", "Problems"];

export async function show(main, parameters, context) {
  const body = h("div", {});
  replace(main, h("div", { class: "page" }, h("h1", {}, "Hooks"), body));
  const page = await askJob("/api/hooks", progress(body, "Reading the hook files and the journal"), context.signal);
  const counted = `The figures are from the ${page.is_counted_fully ? "" : "newest "}${plural(page.counted, "event")} of the journal.`;
  replace(body,
    page.journal_error && h("p", { class: "error" }, page.journal_error),
    h("p", { class: "quiet-text" }, `${plural(page.hooks.length, "hook")} in this project and your own files. ${counted}`),
    h("p", { class: "quiet-text marks" }, badge("client", "ok"), "asks anyhook for the hook ", badge("client", "plain"), "runs it itself, and the journal does not see it"),
    page.hooks.length ? table("Hooks of this project", HEADS, page.hooks.map(row), "stacked") : h("p", { class: "empty" }, "No hook was found here. To begin: ", command("anyhook init")),
    page.others.length > 0 && [
      h("h2", {}, "Other hooks in the journal"),
      table("Other hooks in the journal", ["Hook", "Clients", ...HEADS.slice(3, 9)], page.others.map(other), "stacked"),
    ]);
}

const cell = (label, ...content) => h("td", { data: { label } }, ...content);
const number = (label, value) => h("td", { class: "number", data: { label } }, value);

function row(hook) {
  const does = hook.activity;
  return h("tr", {},
    h("th", { scope: "row" }, h("code", { title: hook.hook }, short(hookName(hook.hook), 60)), h("div", { class: "quiet-text" }, place(hook.file, hook.line))),
    cell("Event", hook.event, hook.matcher && h("div", {}, h("code", { title: hook.matcher }, short(hook.matcher, 24)))),
    cell("Clients", h("span", { class: "marks" }, hook.clients.map(mark))),
    figures(does, hook.never_fired),
    cell("Problems", problems(hook)));
}

// One mark for each client that has it; what is not as usual is said.
function mark(client) {
  if (client.loaded === "not deployed") return badge("not deployed", "warn");
  const isActive = client.loaded === "active";
  const found = badge(isActive ? client.client : `${client.client}: ${client.loaded}`, isActive ? (client.passes_anyhook ? "ok" : "plain") : "warn");
  found.title = client.passes_anyhook ? `${client.event}, through anyhook` : `${client.event}; the client runs it itself, so that the journal does not see it`;
  return found;
}

function figures(does, isNeverFired = false) {
  if (!does) {
    const text = isNeverFired ? badge("never fired", "warn") : h("span", { class: "quiet-text" }, "not seen");
    return h("td", { colspan: "6", data: { label: "Fired" } }, text);
  }
  return [
    number("Fired", h("a", { href: `#/sessions?${new URLSearchParams({ hook: does.hook, all: "1" })}`, title: "The sessions in which it ran" }, does.fired.toLocaleString("en"))),
    number("Blocked", does.blocked ? badge(does.blocked, "bad") : "0"),
    number("Failed", does.failed + does.timed_out ? badge(does.failed + does.timed_out, "warn") : "0"),
    number("p50", duration(does.p50_ms)),
    number("p95", duration(does.p95_ms)),
    cell("Last fired", time(does.last_at, briefly)),
  ];
}

function problems(hook) {
  if (!hook.problems.length) return h("span", { class: "quiet-text" }, "none");
  const worst = ["error", "warning", "note"].find((severity) => hook.problems.some((found) => found.severity === severity));
  const open = () => showDialog(`Problems of ${short(hookName(hook.hook), 40)}`, h("ul", { class: "problems" }, hook.problems.map(problemItem)));
  return h("button", { type: "button", class: "plain", on: { click: open } }, severityBadge(worst), ` ${plural(hook.problems.length, "problem")}`);
}

function other(does) {
  return h("tr", {},
    h("th", { scope: "row" }, h("code", { title: does.hook }, short(hookName(does.hook), 60)), h("div", { class: "quiet-text" }, place(does.file, does.line))),
    cell("Clients", does.clients.join(", ")),
    figures(does));
}
