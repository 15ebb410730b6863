/* The wheel: it lets the ball run, and come to rest on the number that it is told. It knows no number before that. */
window.rouletteWheel = (svg) => {
  "use strict";
  const LAND_MS = 4700; // from the moment the number is known until the wheel stands
  const REST_MS = 700; // so long the eye may stay on it before the page goes on
  const ROTOR_SPEED = 36; // degrees a second
  const BALL_SPEED = -330; // against the wheel
  const SETTLED = 0.86; // the ball lies in its pocket from here on, and turns with the wheel
  const rotor = svg.querySelector("#rotor");
  const ball = svg.querySelector("#ball");
  const ballAt = svg.querySelector("#ball-at");
  const track = Number(svg.dataset.track);
  const restRadius = Number(svg.dataset.rest);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let rotorAngle = 0;
  let ballAngle = Number(svg.dataset.degrees);
  let frame = 0;

  function draw(radius) {
    rotor.setAttribute("transform", `rotate(${rotorAngle % 360})`);
    ball.setAttribute("transform", `rotate(${ballAngle % 360})`);
    ballAt.setAttribute("transform", `translate(0 ${-radius})`);
  }

  function animate(step) {
    cancelAnimationFrame(frame);
    const began = performance.now();
    const next = (now) => { if (step(Math.max(0, now - began)) !== false) frame = requestAnimationFrame(next); };
    frame = requestAnimationFrame(next);
  }

  // The ball is launched and runs on its track until it is told where to fall.
  function run() {
    if (calm.matches) return;
    const [rotorFrom, ballFrom] = [rotorAngle, ballAngle];
    animate((ms) => {
      rotorAngle = rotorFrom + (ROTOR_SPEED * ms) / 1000;
      ballAngle = ballFrom + (BALL_SPEED * ms) / 1000;
      draw(restRadius + (track - restRadius) * Math.min(1, ms / 350));
    });
  }

  // Everything about the fall follows from where the ball must lie at its end; speeds go on as they were.
  function land(degrees) {
    cancelAnimationFrame(frame);
    if (calm.matches) {
      ballAngle = rotorAngle + degrees;
      draw(restRadius);
      return Promise.resolve();
    }
    const rotorFrom = rotorAngle;
    const rotorTurn = (ROTOR_SPEED * LAND_MS) / 2000;
    const from = ballAngle - rotorAngle;
    const natural = ((BALL_SPEED - ROTOR_SPEED) * SETTLED * LAND_MS) / 3000;
    const turn = natural + mod(degrees - from - natural + 180, 360) - 180;
    return new Promise((done) => {
      animate((ms) => {
        const t = Math.min(1, ms / LAND_MS);
        const u = Math.min(1, t / SETTLED);
        rotorAngle = rotorFrom + rotorTurn * (1 - (1 - t) ** 2);
        ballAngle = rotorAngle + from + turn * (1 - (1 - u) ** 3);
        draw(radiusAt(u));
        if (t < 1) return true;
        setTimeout(done, REST_MS);
        return false;
      });
    });
  }

  // No number came of it: the ball is put back to where it lay.
  function rest(degrees) {
    cancelAnimationFrame(frame);
    ballAngle = rotorAngle + degrees;
    draw(restRadius);
  }

  // On the track, then down the slope, then a few bounces between the walls of the pockets.
  function radiusAt(u) {
    if (u < 0.6) return track;
    const p = (u - 0.6) / 0.4;
    if (p < 0.45) return track - (track - restRadius - 3) * (p / 0.45) ** 2;
    const q = (p - 0.45) / 0.55;
    return restRadius + 3 * (1 - q) + 13 * (1 - q) ** 2 * Math.abs(Math.sin(q * Math.PI * 2.6));
  }

  function mod(value, by) { return ((value % by) + by) % by; }

  return { run, land, rest };
};
