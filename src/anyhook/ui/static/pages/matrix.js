import { askJob } from "../api.js";
import { h, remedy, replace, table } from "../dom.js";
import { progress } from "../progress.js";

const LOOKS = { "!": "bad", "?": "bad", "*": "warn", "~": "info", "^": "info" };

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
    h("dl", { class: "legend" }, page.legend.map(([mark, text]) => [h("dt", { class: LOOKS[mark] }, mark), h("dd", {}, text)])),
    page.broken.length > 0 && [h("h2", {}, "Could not run"), h("ul", {}, page.broken.map(([name, text]) => h("li", {}, h("code", {}, name), `: ${text}`)))],
    page.rows.filter((each) => each.notes.length).map(notes));
}

function row(each) {
  return h("tr", {},
    h("th", { scope: "row" }, h("code", {}, each.case)),
    each.cells.map((cell) => h("td", { class: LOOKS[cell.mark] || "", title: cell.reasons.join("\n") || null }, cell.text)));
}

function notes(each) {
  return h("section", { class: "case-notes" },
    h("h2", {}, h("code", {}, each.case), `: ${each.effect}`),
    h("ul", {}, each.notes.map(([mark, text]) => h("li", {}, h("span", { class: `mark ${LOOKS[mark] || ""}` }, mark), " ", text))));
}
