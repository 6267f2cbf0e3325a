import { ask } from "../api.js";
import { badge, h, plural, replace } from "../dom.js";
import { scope, scopeBox, seeAll } from "../scope.js";
import { eventRow } from "../timeline.js";

const KEPT = 300;

export async function show(main, parameters, context) {
  const { about } = await context.ready;
  const list = h("ol", { class: "events live" });
  const state = h("span", { class: "state", role: "status" }, badge("connecting", "plain"));
  const counter = h("span", { class: "quiet-text" });
  const nothing = h("div", { class: "empty" });
  const pause = h("button", { type: "button", "aria-pressed": "false", on: { click: toggle } }, "Pause");
  const waiting = [];
  let isPaused = false;
  let count = 0;
  let source = null;
  context.signal.addEventListener("abort", () => source?.close());
  replace(main,
    h("div", { class: "page" },
      h("header", { class: "page-head" }, h("h1", {}, "Live"), state, pause, scopeBox(about, () => follow().catch(context.fail)), counter),
      h("p", { class: "quiet-text" }, "Every event that anyhook answers, the newest first."),
      nothing, list));
  await follow();

  async function follow() {
    source?.close();
    replace(list);
    waiting.length = 0;
    count = 0;
    const page = await ask("/api/events", { ...scope(), limit: 50 }, context.signal);
    put(page.events);
    tell();
    source?.close(); // of a click that came meanwhile
    source = new EventSource(`/api/live?${new URLSearchParams({ ...scope(), after: page.last })}`);
    source.addEventListener("open", () => replace(state, badge("connected", "ok")));
    source.addEventListener("error", () => replace(state, badge("no connection", "warn")));
    source.addEventListener("problem", (message) => replace(state, badge(JSON.parse(message.data).error, "warn")));
    source.addEventListener("row", (message) => {
      const view = JSON.parse(message.data);
      count += 1;
      if (isPaused) waiting.push(view);
      else put([view]);
      tell();
    });
  }

  function toggle() {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    pause.textContent = isPaused ? "Go on" : "Pause";
    if (!isPaused) put(waiting.splice(0).slice(-KEPT));
    tell();
  }

  function tell() {
    const held = waiting.length ? `, ${waiting.length} of them held back` : "";
    replace(counter, count ? `${plural(count, "new event")}${held}` : "");
    if (list.children.length) replace(nothing);
    else replace(nothing, h("p", {}, "No event yet. Start a client whose hooks are deployed, and let it use a tool: its events appear here."), seeAll(about));
    nothing.hidden = list.children.length > 0;
  }

  function put(views) {
    for (const view of views) list.prepend(eventRow(view, true));
    while (list.children.length > KEPT) list.lastElementChild.remove();
  }
}
