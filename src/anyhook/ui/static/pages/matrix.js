import { askJob } from "../api.js";
import { h, remedy, replace, table } from "../dom.js";
import { progress } from "../progress.js";

const LOOKS = { weaker: "bad", stricter: "warn", lesser: "info" };

export async function show(main, parameters, context) {
  const body = h("div", {});
  replace(main, h("div", { class: "page" }, h("h1", {}, "Matrix"), h("p", { class: "quiet-text" }, "Every test case of the project, played as every client."), body));
  const page = await askJob("/api/matrix", progress(body, "Playing the cases"), context.signal);
  if (page.refusal) {
    replace(body, h("p", { class: "empty", data: { refusal: "yes" } }, remedy(page.refusal)));
    return;
  }
  const heads = ["Case", ...page.clients.map((client) => h("abbr", { title: client.title }, client.heading))];
  replace(body,
    h("p", { class: "summary" }, page.summary),
    table("Effects by case and client", heads, page.rows.map(row), "matrix"),
    h("p", { class: "quiet-text" }, h("span", { class: "mark bad" }, "weaker"), " the hook does less there than it should. ", h("span", { class: "mark warn" }, "stricter"), " it refuses or asks more."),
    h("dl", { class: "legend" }, page.legend.map(([mark, text]) => [h("dt", {}, mark), h("dd", {}, text)])),
    page.broken.length > 0 && [h("h2", {}, "Could not run"), h("ul", {}, page.broken.map(([name, text]) => h("li", {}, h("code", {}, name), `: ${text}`)))],
    page.rows.filter((each) => each.notes.length).map(notes));
}

function row(each) {
  return h("tr", {},
    h("th", { scope: "row" }, h("code", {}, each.case)),
    each.cells.map((cell) => h("td", { class: LOOKS[cell.look] || "", title: cell.reasons.join("\n") || null }, cell.text)));
}

function notes(each) {
  return h("section", { class: "case-notes" },
    h("h2", {}, h("code", {}, each.case), `: ${each.effect}`),
    h("ul", {}, each.notes.map(([mark, look, text]) => h("li", {}, h("span", { class: `mark ${LOOKS[look] || ""}` }, mark), " ", text))));
}
