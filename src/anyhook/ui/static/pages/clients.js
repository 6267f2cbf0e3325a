import { ask } from "../api.js";
import { badge, duration, h, plural, replace, table } from "../dom.js";

const HEADS = ["Client", "Facts", "Events", "Can block on", "Hook types", "Matcher", "Timeout", "Blocks on"];

export async function show(main, parameters, context) {
  if (parameters.length) await showClient(main, parameters[0], context);
  else showAll(main, (await context.ready).clients);
}

const number = (label, value) => h("td", { class: "number", data: { label } }, value);
const cell = (label, ...content) => h("td", { data: { label } }, ...content);

function showAll(main, clients) {
  const rows = clients.map((client) => h("tr", {},
    h("th", { scope: "row" }, h("a", { href: `#/clients/${client.name}` }, client.title), client.installed && h("div", { class: "quiet-text" }, `${client.installed} installed`)),
    cell("Facts", basis(client.basis), h("div", { class: "quiet-text" }, client.release)),
    number("Events", client.events),
    number("Can block on", client.blocking),
    cell("Hook types", client.types.join(", ")),
    cell("Matcher", client.matcher),
    number("Timeout", duration(client.timeout_ms)),
    cell("Blocks on", client.blocks_on)));
  replace(main, h("div", { class: "page" },
    h("h1", {}, "Clients"),
    h("p", { class: "quiet-text" }, "What each client honours. Facts are recorded in the real client, documented by its makers, or specified in a document alone."),
    table("What each client honours", HEADS, rows, "stacked")));
}

const basis = (name) => badge(name, name === "recorded" ? "ok" : "plain");

async function showClient(main, name, context) {
  const client = await ask(`/api/clients/${encodeURIComponent(name)}`, {}, context.signal);
  const { view } = client;
  replace(main, h("div", { class: "page" },
    h("a", { href: "#/clients", class: "back always" }, "← All clients"),
    h("h1", {}, view.title),
    h("p", { class: "quiet-text" }, basis(view.basis), ` ${view.release}${view.installed ? ` · ${view.installed} is installed here` : ""}`),
    h("h2", {}, "Events"),
    table(`Events of ${view.title}`, ["Name", "Canonical", "Matcher sees", "Can block", "Effect"], client.events.map((event) => h("tr", {},
      h("th", { scope: "row" }, event.names.join(" ")), cell("Canonical", event.canonical), cell("Matcher sees", event.subject), cell("Can block", event.blocks ? badge("yes", "ok") : "no"), cell("Effect", event.effect))), "stacked"),
    h("h2", {}, "Files, in the order they are used"),
    table(`Files of ${view.title}`, ["Scope", "From", "File", "Kind"], client.sources.map((source) => h("tr", {},
      h("th", { scope: "row" }, source.scope), cell("From", source.root), cell("File", h("code", {}, source.pattern)), cell("Kind", source.kind))), "stacked"),
    client.setup.length > 0 && [h("h2", {}, "Before it runs hooks of a project"), h("ul", {}, client.setup.map((text) => h("li", {}, text)))],
    client.measured.length > 0 && [h("h2", {}, "Measured"), h("ul", {}, client.measured.map((each) => h("li", {}, `${each.release}${each.date ? `, ${each.date}` : ""}: ${each.agree} of ${plural(each.vectors, "situation")} agree`)))],
    client.changes.length > 0 && [h("h2", {}, "Changes"), h("ul", {}, client.changes.map(([since, what]) => h("li", {}, h("strong", {}, since), ` ${what}`)))],
    h("details", { class: "rules" }, h("summary", {}, "Every rule of the profile"),
      table(`Rules of ${view.title}`, ["Field", "Value"], client.rules.map(([field, value]) => h("tr", {}, h("th", { scope: "row" }, h("code", {}, field)), cell("Value", value))), "stacked")),
  ));
}
