import { ask, askJob } from "../api.js";
import { h, place, plural, remedy, replace, severityBadge } from "../dom.js";
import { showDialog } from "../dialog.js";
import { progress } from "../progress.js";

export async function show(main, parameters, context) {
  const body = h("div", {});
  replace(main, h("div", { class: "page" }, h("h1", {}, "Problems"), body));
  const page = await askJob("/api/problems", progress(body, "Checking the hook files and this machine"), context.signal);
  const groups = new Map();
  for (const found of page.problems) {
    const title = found.file ? place(found.file) : "This machine";
    if (!groups.has(title)) groups.set(title, []);
    groups.get(title).push(found);
  }
  const counts = ["error", "warning", "note"].map((severity) => [page.problems.filter((found) => found.severity === severity).length, severity]);
  const text = counts.filter(([number]) => number).map(([number, severity]) => plural(number, severity)).join(", ");
  replace(body,
    h("p", { class: "quiet-text" }, `${plural(page.hooks, "hook")} in ${plural(page.files, "file")}: ${text || "no problems"}. The same: `, h("code", {}, "anyhook check"), " and ", h("code", {}, "anyhook doctor"), "."),
    [...groups].map(([title, list]) => h("section", {}, h("h2", { class: "file" }, title), h("ul", { class: "problems" }, list.map(problemItem)))));
}

export function problemItem(found) {
  const code = found.has_page
    ? h("button", { type: "button", class: "code", title: "Show the page of this rule", on: { click: () => openRule(found.code) } }, found.code)
    : h("span", { class: "code" }, found.code);
  return h("li", { class: "problem" },
    h("div", { class: "problem-head" }, severityBadge(found.severity), code, found.line > 0 && h("span", { class: "quiet-text" }, `line ${found.line}`), found.client && h("span", { class: "quiet-text" }, found.client)),
    h("p", {}, found.text),
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
