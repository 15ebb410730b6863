/* The play page's script: it sends what the player does and shows what the server says. It computes no number, no prize
   and no balance. Without it every act works as a form. */
(() => {
  "use strict";
  const root = document.querySelector("[data-play]");
  if (!root) return;
  const urls = root.dataset;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const SPIN_MS = 4800;
  const RETRIES = 6;
  let shown = panel()?.dataset.result || "";
  let spinning = false;
  let waiting = null;

  function panel() { return document.getElementById("panel"); }
  function csrf() { return root.querySelector("[name=csrfmiddlewaretoken]").value; }
  function swap(html) { window.htmx.swap("#panel", html, { swapStyle: "outerHTML" }); clock(); }

  // What comes back from the server is shown at once, unless it holds a new number: then the ball falls first.
  function show(html) {
    const parsed = new DOMParser().parseFromString(html, "text/html").getElementById("panel");
    if (!parsed) return;
    if (spinning) { waiting = html; return; }
    const result = parsed.dataset.result || "";
    if (result === shown || !result) { swap(html); return; }
    shown = result;
    spinning = true;
    waiting = html;
    spin(Number(parsed.dataset.degrees)).then(() => {
      spinning = false;
      const latest = waiting;
      waiting = null;
      show(latest);
    });
  }

  function spin(degrees) {
    const stage = document.querySelector(".wheel-stage");
    const rotor = document.getElementById("rotor");
    const ball = document.getElementById("ball");
    const start = Number(rotor.dataset.at || 0);
    const rest = start + 360 + 137;
    rotor.dataset.at = String(rest % 360);
    const final = rest + degrees;
    const place = (element, angle) => element.setAttribute("transform", `rotate(${angle % 360})`);
    const ballShape = ball.firstElementChild;
    if (calm.matches) {
      place(rotor, rest); place(ball, final); ballShape.setAttribute("cy", "-88");
      return Promise.resolve();
    }
    stage.classList.add("spinning");
    const began = performance.now();
    // The ball runs against the wheel and slows down; both come to rest with the recorded number under it.
    const from = final + 360 * 6;
    return new Promise((done) => {
      const step = (now) => {
        const t = Math.min((now - began) / SPIN_MS, 1);
        const eased = 1 - (1 - t) ** 3;
        place(rotor, start + (rest - start) * eased);
        place(ball, from + (final - from) * eased);
        const fall = Math.max(0, (t - 0.72) / 0.28);
        ballShape.setAttribute("cy", String(-138 + 50 * fall * fall));
        if (t < 1) requestAnimationFrame(step);
        else setTimeout(() => { stage.classList.remove("spinning"); done(); }, 700);
      };
      requestAnimationFrame(step);
    });
  }

  async function refresh() {
    try {
      const answer = await fetch(urls.stateUrl, { headers: { "HX-Request": "true" }, credentials: "same-origin" });
      if (answer.ok) show(await answer.text());
      else if (answer.status === 404) location.reload();
    } catch { /* The stream or the next look will bring it. */ }
  }

  // An act is sent with one key however often it must be tried: the server does it once.
  async function send(url, fields) {
    const body = new URLSearchParams({ ...fields, key: fields.key || crypto.randomUUID(), csrfmiddlewaretoken: csrf() });
    for (let attempt = 0; attempt < RETRIES; attempt += 1) {
      try {
        const answer = await fetch(url, { method: "POST", body, headers: { "HX-Request": "true" }, credentials: "same-origin" });
        if (answer.ok) { show(await answer.text()); return; }
        if (answer.status < 500) break;
      } catch { /* No answer: the act may or may not have been done, so it is sent again with its key. */ }
      await new Promise((later) => setTimeout(later, 400 * 2 ** attempt));
    }
    location.reload();
  }

  function chosen() { return root.querySelector("[name=chip]:checked"); }

  function pend(spot) {
    const chip = chosen();
    for (const layer of root.querySelectorAll(".chips-layer")) {
      const hot = root.querySelector(`[data-cloth="${layer.dataset.cloth}"] [data-spot="${spot}"]`);
      const mark = root.querySelector(`#chip-${chip.dataset.rank}`).content.firstElementChild.firstElementChild.cloneNode(true);
      mark.setAttribute("transform", `translate(${hot.dataset.x} ${hot.dataset.y}) scale(${layer.dataset.scale})`);
      mark.classList.add("pending");
      layer.append(mark);
    }
  }

  function bet(target) {
    const hot = target.closest("[data-spot]");
    if (hot) {
      if (!panel().dataset.open) return;
      pend(hot.dataset.spot);
      tip.hidden = true;
      send(urls.betsUrl, { spot: hot.dataset.spot, stake: chosen().value });
      return;
    }
    const series = target.closest("[data-call]");
    if (series && panel().dataset.open) {
      const fields = { call: series.dataset.call, unit: chosen().value };
      if (series.dataset.number) Object.assign(fields, { number: series.dataset.number, neighbours: "4" });
      send(urls.betsUrl, fields);
    }
  }

  root.addEventListener("click", (event) => bet(event.target));
  root.addEventListener("keydown", (event) => {
    if ((event.key === "Enter" || event.key === " ") && event.target.closest("[data-spot], [data-call]")) {
      event.preventDefault();
      bet(event.target);
    }
  });

  // Forms of the page are sent by htmx; what they bring back goes the same way as everything else.
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target.id !== "panel") return;
    event.detail.shouldSwap = false;
    show(event.detail.serverResponse);
  });
  document.body.addEventListener("htmx:sendError", refresh);

  const tip = document.getElementById("tip");
  function showTip(event) {
    const hot = event.target.closest?.("[data-spot]");
    root.querySelectorAll(".covered").forEach((box) => box.classList.remove("covered"));
    if (!hot) { tip.hidden = true; return; }
    const cloth = hot.closest(".cloth");
    hot.dataset.numbers.split(" ").forEach((number) => cloth.querySelector(`[data-box="${number}"]`)?.classList.add("covered"));
    const frame = cloth.getBoundingClientRect();
    const at = hot.getBoundingClientRect();
    tip.replaceChildren();
    const name = document.createElement("strong");
    name.textContent = hot.dataset.name;
    tip.append(name, hot.dataset.terms);
    cloth.append(tip);
    tip.hidden = false;
    const half = tip.offsetWidth / 2;
    tip.style.left = `${Math.min(Math.max(at.left + at.width / 2 - frame.left, half), frame.width - half)}px`;
    tip.style.top = `${at.top - frame.top}px`;
  }
  root.addEventListener("pointerover", showTip);
  root.addEventListener("focusin", showTip);

  function clock() {
    const now = new Date();
    const since = Math.max(0, Math.floor((now - new Date(urls.startedAt)) / 1000));
    const two = (n) => String(n).padStart(2, "0");
    const clockAt = document.getElementById("clock");
    const elapsed = document.getElementById("elapsed");
    const deadline = document.getElementById("deadline");
    if (deadline) deadline.textContent = `in ${Math.max(0, Math.ceil((new Date(deadline.dataset.at) - now) / 1000))} s`;
    if (clockAt) clockAt.textContent = now.toLocaleTimeString("en-GB");
    if (elapsed) elapsed.textContent = `${Math.floor(since / 3600)}:${two(Math.floor(since / 60) % 60)}:${two(since % 60)}`;
  }
  clock();
  setInterval(clock, 1000);

  let polling = null;
  function listen() {
    const stream = new EventSource(`${urls.eventsUrl}&after=${panel().dataset.sequence}`);
    stream.addEventListener("round", refresh);
    stream.onopen = () => { clearInterval(polling); polling = null; refresh(); };
    stream.onerror = () => {
      if (!polling) polling = setInterval(refresh, 2000);
      if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 3000);
    };
  }
  listen();
})();
