/* The play page's script: it sends what the player does and shows what the server says. It computes no number, no prize
   and no balance. Without it every act works as a form. */
(() => {
  "use strict";
  const root = document.querySelector("[data-play]");
  if (!root) return;
  const said = root.dataset;
  const byId = (id) => document.getElementById(id);
  const mark = () => byId("play-state").dataset;
  const wheel = window.rouletteWheel(byId("wheel"));
  const TRIES = 6;
  const ANSWER_MS = 8000;
  const POLL_MS = 2000;
  const SLOW_MS = 4000;
  const GLANCE_MS = 10000;

  /* Talking to the site: one request after the other, so that no older answer is shown after a newer one */
  let last = Promise.resolve();
  function inTurn(job) {
    last = last.then(job).catch((error) => console.warn(error));
    return last;
  }

  function ask(url, body) {
    return fetch(url, {
      method: body ? "POST" : "GET",
      body,
      headers: { "HX-Request": "true" },
      credentials: "same-origin",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
  }

  // On the way to another page nothing may call this one back: leaving ends the session, and its news would come first.
  let leaving = false;
  window.addEventListener("beforeunload", () => {
    leaving = true;
    setTimeout(() => { leaving = false; }, ANSWER_MS);
  });

  async function take(answer) {
    if (leaving) return;
    // Logged out, session ended elsewhere, form too old: the whole page says what is the matter.
    if (answer.redirected || !answer.ok) { location.reload(); return; }
    show(await answer.text());
  }

  let refreshWaits = false;
  function refresh() {
    if (refreshWaits || leaving) return;
    refreshWaits = true;
    inTurn(async () => {
      refreshWaits = false;
      let answer;
      try { answer = await ask(said.stateUrl); } catch { return; }
      if (answer.status < 500) await take(answer);
    });
  }

  // An act keeps its key however often it must be sent: the server does it once.
  function act(prepare, name = "", pending = null) {
    const line = announce(name);
    const slow = setTimeout(() => complain(said.saySlow), SLOW_MS);
    const settle = () => { clearTimeout(slow); line?.remove(); waiting.delete(pending); };
    inTurn(async () => {
      const request = prepare();
      if (!request) { settle(); return; }
      const body = new URLSearchParams(request.fields);
      body.set("csrfmiddlewaretoken", root.querySelector("[name=csrfmiddlewaretoken]").value);
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        if (attempt) await new Promise((later) => setTimeout(later, 300 * 2 ** attempt));
        let answer;
        try { answer = await ask(request.url, body); } catch { continue; }
        if (answer.status >= 500) continue;
        settle();
        await take(answer);
        return;
      }
      settle();
      complain(said.sayCutOff);
      look();
    });
  }

  function freshKey() {
    if (crypto.randomUUID) return crypto.randomUUID();
    // Outside https the browser has no randomUUID.
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  function announce(name) {
    if (!name) return null;
    const line = document.createElement("span");
    line.textContent = `${said.saySending}: ${name} `;
    byId("sending").append(line);
    return line;
  }

  function complain(sentence) {
    const box = document.createElement("div");
    box.className = "refusal";
    box.append(Object.assign(document.createElement("p"), { textContent: sentence }));
    byId("messages").replaceChildren(box);
  }

  /* Showing what came back. What holds a new number waits until the ball has fallen */
  let shownResult = mark().result;
  let spinning = false;
  let held = null;

  function show(html) {
    const parsed = new DOMParser().parseFromString(html, "text/html");
    const fresh = parsed.getElementById("play-state");
    if (!fresh) { location.reload(); return; }
    // What an act was answered is said at once, whatever the ball does.
    const answered = parsed.getElementById("messages");
    if (answered) byId("messages").replaceChildren(...answered.childNodes);
    if (spinning) { held = html; return; }
    if (fresh.dataset.result === shownResult) {
      swap(html);
      // The bets are closed and the number is on its way; or the ball that ran brought no number.
      if (fresh.dataset.phase === "closed") launchBall();
      else if (running) stopBall(Number(fresh.dataset.degrees));
      return;
    }
    shownResult = fresh.dataset.result;
    spinning = true;
    held = html;
    launchBall();
    wheel.land(Number(fresh.dataset.degrees)).then(() => {
      spinning = false;
      running = false;
      root.classList.remove("is-spinning");
      swap(held);
      held = null;
      markNumber(true);
    });
  }

  let running = false;
  function launchBall() {
    // Where the answer brings the number already it waits, and what stands on the page is of the betting still.
    mark().phase = "closed";
    root.classList.add("is-spinning");
    hideTip();
    markNumber(false);
    const acts = byId("acts");
    const hadFocus = acts.contains(document.activeElement);
    for (const button of acts.querySelectorAll("button")) button.disabled = true;
    if (hadFocus) visibleStop()?.focus({ preventScroll: true });
    if (!running) wheel.run();
    running = true;
  }

  function stopBall(degrees) {
    running = false;
    wheel.rest(degrees);
    root.classList.remove("is-spinning");
  }

  function swap(html) {
    const focused = document.activeElement;
    const id = focused?.id;
    window.htmx.swap("#play-state", html, { swapStyle: "outerHTML" });
    if (id && focused !== document.activeElement) byId(id)?.focus({ preventScroll: true });
    // A button that can do nothing any more keeps no focus: the cloth is where a player goes on.
    if (id && document.activeElement === document.body) visibleStop()?.focus({ preventScroll: true });
    waiting.forEach(drawPending);
    markNumber(false);
    tick();
  }

  function visibleStop() {
    return [...root.querySelectorAll(".cloth [tabindex='0']")].find((one) => one.getClientRects().length);
  }

  function markNumber(fresh) {
    const number = mark().phase === "closed" ? "" : mark().winning;
    for (const box of root.querySelectorAll("[data-box]")) {
      const won = box.dataset.box === number;
      box.classList.toggle("is-winning", won);
      if (fresh || !won) box.classList.toggle("is-fresh", won && fresh);
    }
  }

  /* Betting on the cloth */
  const spots = new Map();
  for (const hot of root.querySelectorAll(".cloth.wide [data-spot]")) {
    spots.set(hot.dataset.spot, { numbers: hot.dataset.numbers.split(" "), name: hot.getAttribute("aria-label") });
  }
  const chip = () => root.querySelector("[name=chip]:checked");
  const takesBets = () => mark().phase === "betting" && !root.classList.contains("is-spinning");

  function betOn(hot) {
    if (!takesBets()) return;
    const chosen = chip();
    const [spot, stake, key] = [hot.dataset.spot, chosen.value, freshKey()];
    const pending = { spot, rank: chosen.dataset.rank, text: chosen.dataset.text };
    waiting.add(pending);
    drawPending(pending);
    act(() => ({ url: said.betsUrl, fields: { spot, stake, key } }), `${nameOf(spot)} ${pending.text}`, pending);
  }

  function nameOf(spot) { return spots.get(spot).name.split(",")[0]; }

  // A dashed chip until the server has answered for it; each swap draws the layer anew, and these again.
  const waiting = new Set();
  function drawPending({ spot, rank, text }) {
    for (const layer of root.querySelectorAll(".chips-layer")) {
      const hot = root.querySelector(`.cloth.${layer.dataset.cloth} [data-spot="${spot}"]`);
      const stack = svg("g", { class: "stack is-pending", transform: `translate(${hot.dataset.x} ${hot.dataset.y}) scale(${layer.dataset.scale})` });
      const label = svg("text", { class: `chip-text${text.length > 3 ? " is-long" : ""}` });
      label.textContent = text;
      stack.append(svg("use", { href: `#chip-${rank}` }), label, svg("circle", { class: "pending-ring", r: "17" }));
      layer.append(stack);
    }
  }

  function svg(name, attributes) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }

  function callOn(target) {
    if (!takesBets()) return;
    const { value: unit, dataset: { text } } = chip();
    const fields = { call: target.dataset.call, unit, key: freshKey() };
    if (target.dataset.number) {
      fields.number = target.dataset.number;
      fields.neighbours = root.querySelector("[name=neighbours]:checked").value;
    }
    if (target.dataset.digit) fields.digit = target.dataset.digit;
    act(() => ({ url: said.betsUrl, fields }), `${target.getAttribute("aria-label") || `${fields.call} ${fields.digit}`} ${text}`);
  }

  let touched = 0;
  root.addEventListener("click", (event) => {
    const hot = event.target.closest("[data-spot]");
    // A finger has placed its chip when it was lifted; the click that follows is the same touch.
    if (hot) { if (Date.now() - touched > 600) betOn(hot); return; }
    const call = event.target.closest("[data-call]");
    if (call) callOn(call);
  });

  /* A finger covers what it points at: it slides until the tip names the right spot, and places on lifting */
  let aimed = null;
  root.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" || !event.target.closest(".cloth [data-spot]")) return;
    event.target.releasePointerCapture?.(event.pointerId);
    aim(event);
  });
  root.addEventListener("pointermove", (event) => { if (aimed && event.pointerType !== "mouse") aim(event); });
  root.addEventListener("pointerup", (event) => {
    if (!aimed || event.pointerType === "mouse") return;
    aim(event);
    touched = Date.now();
    if (aimed.dataset?.spot) betOn(aimed);
    aimed = null;
    hideTip();
  });
  root.addEventListener("pointercancel", () => { aimed = null; hideTip(); });

  function aim(event) {
    // Off the cloth nothing is aimed at, and lifting the finger there places nothing.
    aimed = document.elementFromPoint(event.clientX, event.clientY)?.closest(".cloth [data-spot]") || {};
    if (aimed.dataset) showTip(aimed); else hideTip();
  }

  /* The tip names the spot under pointer or focus, and lights the numbers that it covers */
  const tip = byId("tip");
  function showTip(hot) {
    const { numbers, name } = spots.get(hot.dataset.spot);
    cover(numbers);
    const cloth = hot.closest(".cloth");
    const [title, ...terms] = name.split(", ");
    tip.replaceChildren(Object.assign(document.createElement("strong"), { textContent: title }), terms.join(" · "));
    cloth.append(tip);
    tip.hidden = false;
    const [frame, at] = [cloth.getBoundingClientRect(), hot.getBoundingClientRect()];
    const half = tip.offsetWidth / 2;
    const middle = Math.min(Math.max(at.left + at.width / 2 - frame.left, half), Math.max(half, frame.width - half));
    const above = at.top - frame.top;
    const below = above < tip.offsetHeight + 8;
    tip.classList.toggle("is-below", below);
    tip.style.left = `${middle}px`;
    tip.style.top = `${below ? above + at.height : above}px`;
  }
  function hideTip() { tip.hidden = true; cover([]); }
  function cover(numbers) {
    const covered = new Set(numbers);
    for (const box of root.querySelectorAll("[data-box], [data-pocket]")) {
      box.classList.toggle("is-covered", covered.has(box.dataset.box || box.dataset.pocket));
    }
  }
  root.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse" || spinning) return;
    const hot = event.target.closest("[data-spot]");
    if (hot) showTip(hot); else hideTip();
  });
  root.addEventListener("pointerleave", hideTip);
  root.addEventListener("focusin", (event) => {
    const hot = event.target.closest("[data-spot]");
    if (!hot) hideTip();
    else if (hot.matches(":focus-visible")) showTip(hot);
  });

  /* Keyboard: one stop for the whole cloth, arrows go to the nearest spot in their direction */
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  root.addEventListener("keydown", (event) => {
    const here = event.target.closest("[data-spot], [data-call]");
    if (!here || here.tagName === "BUTTON") return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (!event.repeat) (here.dataset.spot ? betOn : callOn)(here);
    } else if (ARROWS[event.key]) {
      const next = nearest(here, ARROWS[event.key]);
      event.preventDefault();
      if (!next) return;
      here.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    }
  });
  function nearest(here, [right, down]) {
    const at = middleOf(here);
    let [best, found] = [Infinity, null];
    for (const other of here.closest("svg").querySelectorAll("[role=button]")) {
      const to = middleOf(other);
      const ahead = (to.x - at.x) * right + (to.y - at.y) * down;
      const aside = Math.abs((to.x - at.x) * down) + Math.abs((to.y - at.y) * right);
      if (other !== here && ahead > 2 && ahead + 3 * aside < best) [best, found] = [ahead + 3 * aside, other];
    }
    return found;
  }
  function middleOf(element) {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  }

  /* Forms of the page: read when their turn comes, since what came before may have changed them */
  root.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-act]");
    if (!form) return;
    event.preventDefault();
    const id = form.id;
    act(() => {
      const now = byId(id);
      if (!now || now.querySelector("button").disabled || root.classList.contains("is-spinning")) return null;
      return { url: now.action, fields: [...new FormData(now)] };
    });
  });

  const toggle = byId("series-toggle");
  toggle?.addEventListener("click", () => {
    toggle.setAttribute("aria-pressed", String(root.classList.toggle("shows-calls")));
  });
  byId("messages").addEventListener("click", () => byId("messages").replaceChildren());

  /* Clocks: the site's time, in the operator's zone */
  const ahead = new Date(mark().now) - Date.now();
  const zoned = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: said.zone });
  const two = (n) => String(n).padStart(2, "0");
  function tick() {
    const now = Date.now() + ahead;
    const since = Math.max(0, Math.floor((now - new Date(said.startedAt)) / 1000));
    byId("clock").textContent = zoned.format(now);
    byId("elapsed").textContent = `${Math.floor(since / 3600)}:${two(Math.floor(since / 60) % 60)}:${two(since % 60)}`;
    const seconds = byId("ring-seconds");
    if (seconds && mark().closesAt) {
      const left = Math.max(0, Math.ceil((new Date(mark().closesAt) - now) / 1000));
      seconds.textContent = String(left);
      byId("ring-left").setAttribute("stroke-dasharray", `${Math.min(100, (100 * left) / Number(said.launchWithin))} 100`);
    }
  }
  tick();
  setInterval(tick, 500);

  /* Events; where they are not to be had the page asks every two seconds */
  let polling = 0;
  let patience = 3000;
  function look() { if (!polling) polling = setInterval(refresh, POLL_MS); }
  function listen() {
    const stream = new EventSource(`${said.eventsUrl}&after=${mark().sequence}`);
    stream.addEventListener("round", refresh);
    stream.onopen = () => {
      clearInterval(polling);
      polling = 0;
      patience = 3000;
      refresh();
    };
    stream.onerror = () => {
      look();
      if (stream.readyState !== EventSource.CLOSED) return;
      setTimeout(listen, patience);
      patience = Math.min(60000, patience * 2);
    };
  }
  listen();
  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
  // A slip makes no event: what another tab or program of the same player has placed is seen by looking now and then.
  setInterval(() => { if (!document.hidden) refresh(); }, GLANCE_MS);
  if (mark().phase === "closed") launchBall();
  // From here on the page does what it is told: for style sheets, and for tests.
  said.live = "";
})();
