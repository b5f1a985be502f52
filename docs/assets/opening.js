// The first page's trace: plays the recorded loads of two warps, lane by lane, and shows what the
// lane that is pointed at reads. docs/figures/opening.py writes the page without it.
document.addEventListener("DOMContentLoaded", () => {
  "use strict";
  const root = document.querySelector(".opening");
  if (!root) return;
  const { drawing, sides } = JSON.parse(root.querySelector("script").textContent);
  const LANES = 32;
  const WORD = 4; // bytes
  const SECTOR = 32;
  const SVG = "http://www.w3.org/2000/svg";
  const LOADS = sides[0].loads.length;
  const END = LOADS * LANES; // a position is a number of lanes that have asked, over all loads
  const STEP = 2 * LANES; // of k: a load of A and one of B
  const SLOW = 26; // lanes per second in the first step of k, so that eyes can follow,
  const FAST = 100; // and in those that repeat it
  const isStill = matchMedia("(prefers-reduced-motion: reduce)");
  let at = STEP;
  let pointed = null; // a lane
  let last = 0; // time of the frame before, while it plays

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const number = (value) => value.toLocaleString("en").replaceAll(",", "\u202f");
  const cellOf = (address) => [
    Math.floor(address / drawing.row),
    (address % drawing.row) / WORD,
  ];
  const shape = (name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const rect = ([row, column], words, style) =>
    shape("rect", {
      x: column * drawing.cell + 1,
      y: row * drawing.cell + 1,
      width: words * drawing.cell - 2,
      height: drawing.cell - 2,
      class: style,
    });
  const sectorsOf = (addresses) => new Set(addresses.map((each) => Math.floor(each / SECTOR)));
  const wordsOf = (addresses, style) => [...new Set(addresses)].map((one) => rect(cellOf(one), 1, style));

  // -- One side ------------------------------------------------------------------------------

  /** The part of a side's drawing that changes. */
  function viewOf(side, svg) {
    const part = (array, name) => svg.querySelector(`.${array} .${name}`);
    const seen = { load: -1 };

    /** Words and sectors of the loads before this one stay visible, but step back. */
    function showBefore(load) {
      if (seen.load === load) return;
      seen.load = load;
      for (const array of ["A", "B"]) {
        const earlier = side.loads.slice(0, load).filter((one) => one.array === array);
        const all = earlier.flatMap((one) => one.addresses);
        part(array, "before").replaceChildren(...wordsOf(all, "read"));
      }
    }

    function show(load, lanes) {
      showBefore(load);
      const now = side.loads[load];
      const step = side.loads.slice(load - (load % 2), load + 1); // A stays lit while B is loaded
      for (const array of ["A", "B"]) {
        const one = step.find((each) => each.array === array);
        const asked = one ? one.addresses.slice(0, one === now ? lanes : LANES) : [];
        const sent = [...sectorsOf(asked)].map((sector) =>
          rect(cellOf(sector * SECTOR), SECTOR / WORD, "sent"));
        part(array, "live").replaceChildren(...sent, ...wordsOf(asked, "read"));
      }
      svg.querySelector(".count").textContent = countOf(side, load, lanes);
      showPointed(load);
    }

    /** The lane's element of C, and the words of A and B that it reads in this step of k. */
    function showPointed(load) {
      const group = svg.querySelector(".pointed");
      group.replaceChildren();
      if (pointed === null) return;
      const { cell, at: places } = drawing;
      const [row, column] = side.results[pointed];
      const middle = (array, [r, c]) => [
        places[array][0] + (c + 0.5) * cell,
        places[array][1] + (r + 0.5) * cell,
      ];
      const ends = { C: middle("C", [row, column]) };
      for (const { array, addresses } of side.loads.slice(load - (load % 2)).slice(0, 2)) {
        ends[array] = middle(array, cellOf(addresses[pointed]));
      }
      group.append(shape("path", { d: `M${ends.A}L${ends.C}L${ends.B}`, class: "guide" }));
      for (const [x, y] of Object.values(ends)) {
        const size = cell + 4;
        const frame = { x: x - size / 2, y: y - size / 2, width: size, height: size };
        group.append(shape("rect", { ...frame, class: "frame" }));
      }
    }

    /** The lane whose element of C, or whose word of this step, is nearest to a point. */
    function nearest(event) {
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      const x = (event.clientX - box.left) * scale;
      const y = (event.clientY - box.top) * scale;
      const load = loadAt().load;
      const step = side.loads.slice(load - (load % 2)).slice(0, 2);
      let best = [Infinity, 0];
      for (let lane = 0; lane < LANES; lane += 1) {
        const cells = [["C", side.results[lane]]];
        for (const one of step) cells.push([one.array, cellOf(one.addresses[lane])]);
        for (const [array, [row, column]] of cells) {
          const dx = drawing.at[array][0] + (column + 0.5) * drawing.cell - x;
          const dy = drawing.at[array][1] + (row + 0.5) * drawing.cell - y;
          const far = Math.hypot(dx, dy);
          if (far < best[0]) best = [far, lane];
        }
      }
      return best[1];
    }
    svg.addEventListener("pointermove", (event) => point(nearest(event)));
    svg.addEventListener("pointerdown", (event) => point(nearest(event)));
    svg.addEventListener("pointerleave", () => point(null));
    return { show };
  }

  const loadAt = () => {
    const load = Math.min(LOADS - 1, Math.floor(Math.max(0, at - 1) / LANES));
    return { load, lanes: Math.floor(at) - load * LANES };
  };
  /** Sectors of all loads up to this one, of which only some lanes have asked. */
  function countOf(side, load, lanes) {
    const before = side.loads.slice(0, load).reduce((sum, one) => sum + one.sectors, 0);
    return before + sectorsOf(side.loads[load].addresses.slice(0, lanes)).size;
  }

  const views = sides.map((side, i) => viewOf(side, root.querySelectorAll("svg")[i]));

  // -- The warp's lanes, and buttons ---------------------------------------------------------

  const lanes = Array.from({ length: LANES }, (_, lane) => element("span", {}, `${lane}`));
  const slider = element("input", {
    type: "range", min: 0, max: LANES - 1, value: 0, "aria-label": "Point at a lane",
    "aria-valuetext": "no lane",
  });
  const strip = element("div", { class: "opening-strip" }, ...lanes, slider);
  const button = (words, label) =>
    element("button", { type: "button", "aria-label": label, title: label }, words);
  const back = button("\u25c0\ufe0e", "One load back");
  const play = button("\u25b6\ufe0e Play", "Play lane by lane");
  const forward = button("Step \u25b6\ufe0e", "One load forward");
  const place = element("span", { class: "opening-place" });
  const loop = root.querySelector(".opening-loop");
  const said = root.querySelector(".opening-said");
  const controls = element(
    "div", { class: "opening-play", role: "group", "aria-label": "Step by step" },
    back, play, forward, place,
  );
  loop.before(element("p", { class: "opening-warp" }, "The 32 lanes of a warp"), strip);
  said.before(controls);

  function point(lane) {
    pointed = lane;
    slider.value = lane ?? 0;
    slider.setAttribute("aria-valuetext", lane === null ? "no lane" : `lane ${lane}`);
    draw();
  }
  slider.addEventListener("input", () => point(Number(slider.value)));
  slider.addEventListener("focus", () => {
    if (slider.matches(":focus-visible")) point(Number(slider.value));
  });
  slider.addEventListener("blur", () => point(null));
  strip.addEventListener("pointermove", (event) => {
    const box = strip.getBoundingClientRect();
    const lane = Math.floor(((event.clientX - box.left) / box.width) * LANES);
    point(Math.max(0, Math.min(LANES - 1, lane)));
  });
  strip.addEventListener("pointerleave", () => point(null));
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") point(null);
  });

  // -- Words ---------------------------------------------------------------------------------

  /** "A[7][0] at byte 7168" of a load's lane. */
  const wantedBy = ({ array, addresses }, lane) => {
    const [row, column] = cellOf(addresses[lane]);
    return `${array}[${row}][${column}], byte ${number(addresses[lane])}`;
  };
  function sentence() {
    const { load, lanes: asked } = loadAt();
    const k = Math.floor(load / 2);
    if (pointed !== null) {
      const parts = sides.map(({ rung, loads, results }) => {
        const [row, column] = results[pointed];
        const wants = loads.slice(2 * k, 2 * k + 2).map((one) => wantedBy(one, pointed));
        return `rung ${rung} computes C[${row}][${column}] and reads ${wants.join(", and ")}`;
      });
      return `Lane ${pointed}: ${parts.join("; ")}.`;
    }
    const counts = sides.map((side) => countOf(side, load, asked));
    const names = sides.map(({ rung }) => rung);
    if (at >= END) {
      return `${LOADS / 2} steps of k: ${counts[0]} sectors of ${SECTOR} bytes against ` +
        `${counts[1]}, for the same ${(LOADS / 2) * LANES} multiply-adds.`;
    }
    const touched = (i) => `rung ${names[i]} touches ${counts[i]}`;
    const when = asked === LANES && load % 2 ? `${k + 1} step${k ? "s" : ""} of k:` : "So far,";
    return `${when} ${touched(0)} sectors of ${SECTOR} bytes, and ${touched(1)}.`;
  }

  // -- Drawing -------------------------------------------------------------------------------

  function draw() {
    const { load, lanes: asked } = loadAt();
    const { array } = sides[0].loads[load];
    for (const view of views) view.show(load, asked);
    root.dataset.array = array;
    lanes.forEach((one, lane) => {
      one.classList.toggle("asked", lane < asked);
      one.classList.toggle("pointed", lane === pointed);
    });
    root.querySelector(".opening-k").textContent = `k = ${Math.floor(load / 2)}`;
    place.textContent = `load ${load + 1} of ${LOADS}, of ${array}`;
    back.disabled = at <= LANES;
    forward.disabled = at >= END;
    play.hidden = isStill.matches;
    play.textContent = last ? "\u275a\u275a Pause" : "\u25b6\ufe0e Play";
    said.setAttribute("aria-live", last ? "off" : "polite"); // read aloud where it stands still
    said.textContent = sentence();
  }
  function stop() {
    last = 0;
    draw();
  }
  function frame(now) {
    if (!last) return;
    const seconds = Math.min(0.1, (now - last) / 1000);
    last = now;
    at = Math.min(END, at + seconds * (at < STEP ? SLOW : FAST));
    if (at >= END) return stop();
    draw();
    requestAnimationFrame(frame);
  }
  function start() {
    if (isStill.matches) return;
    if (at >= END) at = 0;
    last = performance.now();
    draw();
    requestAnimationFrame(frame);
  }
  const go = (load) => {
    at = Math.max(1, Math.min(LOADS, load)) * LANES;
    stop();
  };
  back.addEventListener("click", () => go(Math.ceil(at / LANES) - 1));
  forward.addEventListener("click", () => go(Math.floor(at / LANES) + 1));
  play.addEventListener("click", () => (last ? stop() : start()));
  isStill.addEventListener("change", stop);
  draw();

  // It begins by itself, once, when it is seen.
  const watch = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      if (isStill.matches || last || at !== STEP) return;
      at = 0;
      start();
    },
    { threshold: 0.5 },
  );
  watch.observe(root.querySelector(".opening-sides"));
});
