import { scope, scopeBox, seeAll } from "../address.js";
import { ask } from "../api.js";
import { badge, h, plural, replace } from "../dom.js";
import { eventRow, scale } from "../timeline.js";

const KEPT = 300;
const RETRY_MS = 3000;

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
      nothing, scale(), list));
  await follow();

  async function follow() {
    source?.close();
    replace(list);
    waiting.length = 0;
    count = 0;
    const page = await ask("/api/events", { ...scope(), limit: 50 }, context.signal);
    put(page.events);
    tell();
    connect(page.last);
  }

  function connect(after) {
    if (context.signal.aborted) return;
    source?.close(); // of a click that came meanwhile
    const own = new EventSource(`/api/live?${new URLSearchParams({ ...scope(), after })}`);
    source = own;
    own.addEventListener("open", () => replace(state, badge("connected", "ok")));
    own.addEventListener("problem", (message) => replace(state, badge(JSON.parse(message.data).error, "warn")));
    own.addEventListener("row", (message) => {
      after = Number(message.lastEventId);
      count += 1;
      if (isPaused) waiting.push(JSON.parse(message.data));
      else put([JSON.parse(message.data)]);
      tell();
    });
    own.addEventListener("error", () => {
      if (own !== source) return;
      replace(state, badge("no connection, trying again", "warn"));
      if (own.readyState === EventSource.CLOSED) whyRefused(() => own === source && connect(after)); // else the browser tries again
    });
  }

  // Another server may answer there now, which knows nothing of this browser, or too many pages follow.
  async function whyRefused(retry) {
    try {
      await ask("/api/about", {}, context.signal);
      setTimeout(retry, RETRY_MS);
    } catch (error) {
      if (error.name !== "AbortError") replace(state, h("span", { class: "error" }, error.message));
    }
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
