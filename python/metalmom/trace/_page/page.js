// Moving through the trace, and the start.

// Shows [begin, end], kept within the trace and no narrower than ten nanoseconds.
function show(begin, end) {
  const length = Math.min(Math.max(end - begin, 0.01), trace.end);
  begin = Math.min(Math.max(begin, 0), trace.end - length);
  view.begin = begin;
  view.end = begin + length;
  redraw();
}

function zoom(factor, x) {
  const at = timeOf(x);
  show(at - (at - view.begin) * factor, at + (view.end - at) * factor);
}

const pan = (pixels) => {
  const by = pixels / view.width * (view.end - view.begin);
  show(view.begin + by, view.end + by);
};

function scroll(pixels) {
  view.scroll = Math.min(Math.max(view.scroll + pixels, 0), Math.max(view.total - view.height, 0));
  redraw();
}

canvas.addEventListener("wheel", (e) => {
  e.preventDefault();
  if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) pan(e.deltaX + e.deltaY);
  else if (e.altKey) scroll(e.deltaY);
  else zoom(Math.exp(e.deltaY * 0.002), e.offsetX);
}, { passive: false });

// One pointer drags, two pinch; a press that does not move selects.
const pointers = new Map();
let moved = 0;

canvas.addEventListener("pointerdown", (e) => {
  if (!pointers.size) moved = 0;
  pointers.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
  canvas.setPointerCapture(e.pointerId);
});
canvas.addEventListener("pointermove", (e) => {
  const before = pointers.get(e.pointerId);
  if (!before) return hover(e.offsetX, e.offsetY);
  const now = { x: e.offsetX, y: e.offsetY };
  const other = [...pointers].find(([id]) => id !== e.pointerId)?.[1];
  pointers.set(e.pointerId, now);
  moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
  if (moved < 4) return;
  if (other) {
    const apart = (p) => Math.max(Math.abs(p.x - other.x), 8);
    return zoom(apart(before) / apart(now), (now.x + other.x) / 2);
  }
  pan(before.x - now.x);
  scroll(before.y - now.y);
});
canvas.addEventListener("pointerup", (e) => {
  if (pointers.delete(e.pointerId) && !pointers.size && moved < 4)
    select(hit(e.offsetX, e.offsetY));
});
canvas.addEventListener("pointercancel", (e) => { pointers.delete(e.pointerId); });
canvas.addEventListener("pointerleave", () => {
  element("tip").hidden = true;
  view.pointer = -1;
  redraw();
});
canvas.addEventListener("dblclick", (e) => {
  const span = hit(e.offsetX, e.offsetY);
  if (span && span.dur) show(span.ts - span.dur * 0.1, span.end + span.dur * 0.1);
});

function moveWindow(e) {
  if (!e.buttons) return;
  const at = e.offsetX / minimap.clientWidth * trace.end, half = (view.end - view.begin) / 2;
  show(at - half, at + half);
}
minimap.addEventListener("pointerdown", moveWindow);
minimap.addEventListener("pointermove", moveWindow);

// The span or point at a place of the canvas, with two pixels of tolerance.
function hit(x, y) {
  if (y < RULER) return null;
  const slack = 2 * (view.end - view.begin) / view.width, time = timeOf(x);
  for (const track of trace.tracks) {
    const depth = Math.floor((y - laneY(track, 0)) / LANE);
    if (depth === -1) {
      const point = track.points.find((p) => Math.abs(xOf(p.ts) - x) < 5);
      if (point) return point;
    }
    const lane = track.lanes[depth];
    if (!lane) continue;
    const i = firstAbove(lane.end, time - slack);
    if (i < lane.begin.length && lane.begin[i] <= time + slack) {
      const exact = i + 1 < lane.begin.length && lane.begin[i + 1] <= time ? i + 1 : i;
      return lane.spans[exact];
    }
  }
  return null;
}

function hover(x, y) {
  const span = hit(x, y), tip = element("tip");
  view.pointer = x;
  redraw();
  tip.hidden = !span;
  if (!span) return;
  const { stream, late } = span.args || {};
  tip.textContent = span.name + (stream ? ` ${stream}` : "") + (span.ph === "X" ? "  " + timeText(span.dur) : "") +
    (late ? "  late" : "");
  tip.style.left = Math.min(x + 14, view.width - tip.offsetWidth - 8) + "px";
  tip.style.top = Math.min(y + 16, view.height - tip.offsetHeight - 8) + canvas.offsetTop + "px";
}

addEventListener("keydown", (e) => {
  if (e.target === element("search")) {
    if (e.key === "Enter") nextMatch();
    if (e.key === "Escape") { e.target.value = ""; search(""); e.target.blur(); }
    return;
  }
  const middle = view.width / 2, step = view.width / 5;
  const action = {
    w: () => zoom(0.7, middle), s: () => zoom(1 / 0.7, middle), a: () => pan(-step),
    d: () => pan(step), ArrowLeft: () => pan(-step), ArrowRight: () => pan(step),
    ArrowUp: () => scroll(-40), ArrowDown: () => scroll(40), 0: () => show(0, trace.end),
    n: nextMatch, l: nextLate, "/": () => { e.preventDefault(); element("search").focus(); },
  }[e.key];
  if (action && !e.ctrlKey && !e.metaKey) action();
});

element("search").addEventListener("input", (e) => search(e.target.value));
element("late").addEventListener("click", nextLate);
element("fit").addEventListener("click", () => show(0, trace.end));

function recolour() {
  readColours();
  resize();
}
element("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  recolour();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);

readColours();
layout();
showTitle();
showCpu();
showGpu();
showSpans();
showDiagnosis();
showAbout();
new ResizeObserver(resize).observe(canvas);
resize();

// For scripts that look at the page: what is shown where, and what it cost.
window.metalmomTrace = {
  trace, view, show, select, hit, search, redraws, laneY, draw,
  openedIn: performance.now(),
  get selected() { return selected; },
};
