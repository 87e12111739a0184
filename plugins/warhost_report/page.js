"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const frames = data.frames, parts = data.parts;
  if (!frames.length) return;
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const links = Array.from(document.querySelectorAll(".turns a"));
  const sections = Array.from(document.querySelectorAll("#log .ph"));
  const layers = byId("table") ? ["ground", "ghosts", "units", "ways", "names", "losses"] : [];
  const slider = byId("slider"), log = byId("log"), present = byId("present"), whole = byId("whole");
  const turns = frames.map((f) => f.turn);
  const shown = {};
  let now = -1;

  function fill(id, numbers) {
    const key = numbers.join();
    if (shown[id] === key) return;
    shown[id] = key;
    byId(id).innerHTML = numbers.map((n) => parts[n]).join("");
  }

  function show(i, remember) {
    i = Math.max(0, Math.min(frames.length - 1, i));
    if (i === now) return;
    const frame = frames[i];
    layers.forEach((id) => fill(id, frame[id]));
    frame.rosters.forEach((rows, side) => fill("roster" + side, rows));
    byId("caption").textContent = frame.title;
    slider.value = i;
    slider.setAttribute("aria-valuetext", frame.title);
    if (present) present.setAttribute("transform", "translate(" + frame.x + " 0)");
    if (now >= 0) { links[now].removeAttribute("aria-current"); sections[now].classList.remove("now"); }
    links[i].setAttribute("aria-current", "step");
    sections[i].classList.add("now");
    now = i;
    keepInView(links[i], document.querySelector(".turns"));
    if (whole.checked) keepInView(sections[i], log); else log.scrollTop = 0;
    if (remember) {
      try { history.replaceState(null, "", "#at" + i); } catch (error) { /* not allowed here: never mind */ }
    }
  }

  function keepInView(element, box) {
    const e = element.getBoundingClientRect(), b = box.getBoundingClientRect();
    if (e.top < b.top || e.bottom > b.bottom) box.scrollTop += e.top - b.top - 8;
  }

  function step(by) {
    let i = now + by;
    while (i > 0 && i < frames.length - 1 && frames[i].quiet) i += by;
    return i;
  }

  function turn(by) {
    let i = now;
    if (by < 0) {
      i = Math.max(0, i - 1);
      while (i > 0 && turns[i - 1] === turns[i]) i -= 1;
      return i;
    }
    const here = turns[i];
    while (i < frames.length - 1 && turns[i] === here) i += 1;
    return i;
  }

  const ways = {
    "first": () => 0, "last": () => frames.length - 1, "back": () => step(-1), "on": () => step(1),
    "turn-back": () => turn(-1), "turn-on": () => turn(1),
  };

  document.querySelectorAll("[data-go]").forEach((button) => {
    button.addEventListener("click", () => show(ways[button.dataset.go](), true));
  });
  slider.addEventListener("input", () => show(Number(slider.value), true));
  links.forEach((link, i) => link.addEventListener("click", (event) => { event.preventDefault(); show(i, true); }));
  sections.forEach((section, i) => section.querySelector("h3").addEventListener("click", () => show(i, true)));
  whole.addEventListener("change", () => {
    root.classList.toggle("whole", whole.checked);
    if (whole.checked) keepInView(sections[now], log);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    show(ways[(event.shiftKey ? "turn-" : "") + (event.key === "ArrowLeft" ? "back" : "on")](), true);
  });
  window.addEventListener("hashchange", () => show(wanted(), false));

  function wanted() {
    const found = /^#(?:p|at)(\d+)$/.exec(location.hash);
    if (found) return Number(found[1]);
    let first = frames.findIndex((f) => f.units.length > 0);
    while (first >= 0 && first + 1 < frames.length && turns[first + 1] === turns[first] && turns[0] === turns[first])
      first += 1;
    return Math.max(0, first);
  }

  root.classList.add("js");
  document.querySelectorAll("[hidden]").forEach((element) => { element.hidden = false; });
  show(wanted(), false);
})();
