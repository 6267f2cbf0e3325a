import { filtered, isFiltered, scope, scopeBox, seeAll, sessionAddress, setFilter, wanted as filterOfRows } from "../address.js";
import { ask } from "../api.js";
import { badge, briefly, clock, command, copyButton, day, duration, h, moment, otherProject, place, plural, replace, time } from "../dom.js";
import { Timeline, scale } from "../timeline.js";

const EVENTS = 200;
const WIDE = matchMedia("(min-width: 62rem)");

export async function show(main, parameters, context) {
  const chosen = parameters.length ? { client: parameters[0], session: parameters[1] || "", project: parameters[2] || "" } : null;
  const opensNewest = !chosen && WIDE.matches;
  const wanted = (before = "") => ask("/api/sessions", { ...filterOfRows(), before, open: opensNewest && !before ? "1" : "" }, context.signal);
  const asked = wanted();
  asked.catch(() => {}); // it is awaited below
  const { about, clients } = await context.ready;
  const list = h("ol", { class: "session-list" });
  const more = h("div", { class: "more" });
  const pane = h("div", { class: "pane" });
  const found = new Map();
  let latest = null; // what is asked for now: an answer to something else comes too late
  let opened = null; // the first events of the newest session, which came with the list

  const end = new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) more.querySelector("button")?.click();
  }, { rootMargin: "200px" });
  context.signal.addEventListener("abort", () => end.disconnect());

  const put = async (asking) => {
    end.disconnect();
    replace(more, h("p", { class: "loading", role: "status" }, "Loading …"));
    latest = asking;
    let page = await asking;
    while (latest === asking && !page.sessions.length && page.earlier !== null) page = await wanted(page.earlier); // what is rare may be old
    if (latest !== asking) return false;
    for (const part of page.sessions) merge(found, part);
    opened = page.opened;
    replace(list, [...found.values()].map((session) => item(session, chosen ? sessionAddress(chosen) : "")));
    if (!found.size) replace(list, h("li", { class: "empty" }, empty(about)));
    const earlier = () => put(wanted(page.earlier)).catch(context.fail);
    replace(more, page.earlier !== null && h("button", { type: "button", on: { click: earlier } }, "Earlier sessions"));
    if (page.earlier !== null) end.observe(more);
    return true;
  };
  const choose = async () => {
    const newest = [...found.values()][0];
    if (chosen) await showSession(pane, found.get(key(chosen)) || chosen, context);
    else if (opensNewest && newest) {
      list.querySelector("a").setAttribute("aria-current", "true");
      await showSession(pane, newest, context, opened);
    } else replace(pane, !found.size && !isFiltered() && firstSteps());
  };
  const refresh = async () => { // the form stays, and keeps the focus
    found.clear();
    if ((await put(wanted())) && !chosen) await choose();
  };

  const side = h("section", { class: "side", "aria-label": "Sessions" }, h("h1", {}, "Sessions"), filterForm(about, clients, () => refresh().catch(context.fail)), list, more);
  replace(main, h("div", { class: chosen ? "sessions chosen" : "sessions" }, side, pane));
  if (await put(asked)) await choose();
}

const key = sessionAddress;

function empty(about) {
  if (isFiltered()) return [h("p", {}, "No such events are in the journal."), seeAll(about)];
  if (about.project && !scope().everywhere) return [h("p", {}, "The journal has no event of this project."), seeAll(about)];
  return "The journal is empty.";
}

const STEPS = [
  ["anyhook init", "writes a first guard, if the project has no hooks yet"],
  ["anyhook deploy", "lets your clients run the hooks; the journal gets a row for every event that anyhook answers"],
  ["", "Start a client and let it use a tool. Its session appears here, and every event at once under Live."],
];

const firstSteps = () => h("section", { class: "first-steps" },
  h("h2", {}, "No session to show yet"),
  h("ol", {}, STEPS.map(([line, text]) => h("li", {}, line && command(line), line && " ", text))));

function merge(found, part) {
  const known = found.get(key(part));
  if (!known) {
    found.set(key(part), part);
    return;
  }
  known.first = part.first;
  known.first_at = part.first_at;
  known.about ||= part.about;
  for (const name of ["events", "simulated", "blocked", "failed", "hooks", "waited_ms"]) known[name] += part[name];
}

function item(session, chosen) {
  const address = sessionAddress(session);
  const spent = new Date(session.last_at) - new Date(session.first_at);
  return h("li", {},
    h("a", { href: address, class: "session", "aria-current": address === chosen ? "true" : null },
      h("span", { class: "session-top" }, h("strong", {}, session.client || "unknown client"), time(session.last_at, briefly)),
      session.about && h("span", { class: "session-about", title: session.about }, session.about),
      h("span", { class: session.session ? "session-id" : "session-none" }, session.session || "events without a session"),
      otherProject(session.project) && h("span", { class: "session-project", title: session.project }, otherProject(session.project)),
      h("span", { class: "session-figures" },
        h("span", {}, plural(session.events, "event")),
        session.session && spent >= 1000 && h("span", {}, duration(spent)),
        session.simulated > 0 && badge(session.simulated === session.events ? "simulated" : `${session.simulated} simulated`, "plain"),
        session.blocked > 0 && badge(`${session.blocked} blocked`, "bad"),
        session.failed > 0 && badge(`${session.failed} failed`, "warn"),
      ),
    ));
}

function filterForm(about, clients, refresh) {
  const select = (name, label, values) => {
    const control = h("select", { name, id: `filter-${name}` }, h("option", { value: "" }, "any"), values.map(([value, text]) => h("option", { value, selected: filtered(name) === value }, text)));
    return [h("label", { for: `filter-${name}` }, label), control];
  };
  const form = h("form", { class: "filter", role: "search", "aria-label": "Which sessions" },
    select("client", "Client", clients.map((client) => [client.name, client.title])),
    select("effect", "Effect", about.effects.map((effect) => [effect, effect])),
    h("label", { for: "filter-hook" }, "Hook"),
    h("input", { name: "hook", id: "filter-hook", type: "search", value: filtered("hook"), placeholder: "name, command or file", autocomplete: "off" }),
    scopeBox(about, refresh),
  );
  const apply = () => {
    const data = new FormData(form);
    setFilter(Object.fromEntries(["client", "effect", "hook"].map((name) => [name, data.get(name) || ""])));
    refresh();
  };
  form.addEventListener("change", (event) => event.target.name && apply()); // the scope says it itself
  form.addEventListener("submit", (event) => { event.preventDefault(); apply(); });
  return form;
}

async function showSession(pane, session, context, opened = null) {
  const timeline = new Timeline(Boolean(session.session));
  const earlier = h("div", { class: "more" });
  const later = h("div", { class: "more" });
  const title = h("h2", { id: "session-title" }, session.session || "Events without a session");
  replace(pane,
    h("a", { href: "#/sessions", class: "back" }, "← All sessions"),
    h("header", { class: "session-head" }, h("div", { class: "with-copy" }, title, session.session && copyButton(session.session, "Copy the session's id")),
      h("p", { class: "quiet-text" }, [session.client || "unknown client", place(session.project)].filter(Boolean).join(" · "), session.events ? ` · ${plural(session.events, "event")} · ${plural(session.hooks, "hook run")} · ${duration(session.waited_ms)} waited` : ""),
      h("p", { class: "quiet-text" }, session.first_at ? `${moment(session.first_at)} – ${(day(session.first_at) === day(session.last_at) ? clock : moment)(session.last_at)}` : ""),
    ),
    scale(), earlier, timeline.element, later);

  const whose = { client: session.client, session: session.session, project: session.session ? "" : session.project, limit: EVENTS };
  const observer = new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) later.querySelector("button")?.click();
  });
  context.signal.addEventListener("abort", () => observer.disconnect());

  const goOn = async (after, known = null) => {
    let page = known;
    replace(later);
    while (!page || (!page.events.length && after !== null)) { // a long journal is searched in parts
      page = await ask("/api/events", { ...whose, after, until: session.last }, context.signal);
      after = page.later;
    }
    timeline.add(page.events);
    if (page.later !== null) {
      replace(later, h("button", { type: "button", on: { click: () => goOn(page.later).catch(context.fail) } }, "More events"));
      observer.observe(later);
    }
    return page;
  };
  if (session.first) {
    const page = await goOn(session.first - 1, opened);
    if (!page.events.length) replace(pane, h("p", { class: "empty" }, "This session is no longer in the journal."));
    return;
  }
  // Without its first row, from the newest events backwards: the turns are then counted anew.
  const known = [];
  const goBack = async (before) => {
    let page;
    replace(earlier);
    do {
      page = await ask("/api/events", { ...whose, before }, context.signal);
      before = page.earlier;
    } while (!page.events.length && before !== null);
    known.unshift(...page.events);
    const whole = new Timeline(Boolean(session.session));
    whole.add(known);
    replace(timeline.element, known.length ? [...whole.element.childNodes] : h("p", { class: "empty" }, "The journal has no event of this session."));
    replace(earlier, page.earlier !== null && h("button", { type: "button", on: { click: () => goBack(page.earlier).catch(context.fail) } }, "Earlier events"));
  };
  await goBack("");
}
