import { askJob } from "../api.js";
import { badge, briefly, command, effectBadge, h, plural, remedy, replace, table, time } from "../dom.js";
import { eventRow } from "../timeline.js";
import { problemItem } from "./problems.js";
import { progress } from "../progress.js";

const HEADS = ["Client", "Protection", "Hooks", "Last event"];

export async function show(main, parameters, context) {
  const body = h("div", {});
  replace(main, h("div", { class: "page overview" }, h("h1", {}, "Overview"), body));
  const page = await askJob("/api/overview", progress(body, "Reading the hook files and the journal"), context.signal);
  await context.ready;
  const [protection, ...lacks] = page.protection.split("; ");
  const isWhole = page.clients.length > 0 && !lacks.length;
  replace(body,
    h("section", { class: `standing ${isWhole ? "ok" : "warn"}` }, h("h2", {}, protection), lacks.length > 0 && h("ul", {}, lacks.map((lack) => h("li", {}, lack)))),
    steps(page),
    page.journal_error && h("p", { class: "error" }, page.journal_error),
    page.clients.length > 0 && [h("h2", {}, "Clients"), table("Clients", HEADS, page.clients.map(row), "stacked")],
    h("h2", {}, "What was refused last"),
    page.refused.length ? h("ol", { class: "events" }, page.refused.map((view) => eventRow(view, true))) : h("p", { class: "quiet-text" }, "The journal has no refused event of this project."),
    h("h2", {}, "Problems"),
    h("p", { class: "quiet-text" }, counts(page.counts), ". ", h("a", { href: "#/problems" }, "All problems")),
    h("ul", { class: "problems" }, page.problems.map(problemItem)));
}

// What to do, the most urgent first; each is a command to copy.
function steps(page) {
  const bare = page.clients.filter((client) => client.lack === "no hooks" || client.lack === "no hook runs");
  const todo = [
    page.trust && h("li", {}, remedy(page.trust)),
    bare.length > 0 && h("li", {}, "Let these clients run the hooks of the project: ", command(`anyhook deploy ${bare.map((client) => `--client ${client.name}`).join(" ")}`)),
    !page.clients.length && h("li", {}, "Let your clients run hooks: ", command("anyhook init"), " writes a first guard, ", command("anyhook deploy"), " lets them ask for it"),
    page.counts.error > 0 && h("li", {}, "Mend what is broken: ", command("anyhook check --fix")),
  ].filter(Boolean);
  return todo.length > 0 && h("section", { class: "todo" }, h("h2", {}, "What to do"), h("ol", {}, todo));
}

function counts(numbers) {
  return Object.entries(numbers).filter(([, number]) => number).map(([severity, number]) => plural(number, severity)).join(", ") || "no problems";
}

const cell = (label, ...content) => h("td", { data: { label } }, ...content);

function row(client) {
  return h("tr", {},
    h("th", { scope: "row" }, h("a", { href: `#/clients/${client.name}` }, client.title), client.installed && h("span", { class: "quiet-text" }, ` ${client.installed}`)),
    cell("Protection", client.lack ? badge(client.lack, "warn") : badge("protected", "ok")),
    cell("Hooks", client.hooks ? `${plural(client.hooks, "hook")}, ${client.active} active, ${plural(client.guards, "guard")}` : "none"),
    cell("Last event", client.last ? last(client.last) : h("span", { class: "quiet-text" }, "not seen")));
}

function last(view) {
  return [
    h("a", { href: `#/sessions?${new URLSearchParams({ client: view.client })}`, title: "The sessions of this client" }, time(view.at, briefly)),
    " ", view.event, " ", effectBadge(view.effect),
    view.subject && h("div", { class: "event-subject" }, view.subject),
  ];
}
