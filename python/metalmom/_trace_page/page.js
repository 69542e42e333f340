"use strict";
// The timeline: a trace as typed arrays, drawn on one canvas. What is narrower than a pixel is
// merged while drawing: each lane jumps by binary search from pixel to pixel, so that a redraw
// costs pixels, not spans.

const CATEGORIES = ["bridge", "engine", "gpu", "user"];
const RULER = 24, HEAD = 18, LANE = 18, GAP = 6, COUNTER = 34;

// ---- The trace ----------------------------------------------------------------------------

function readTrace(json) {
  const trace = { spans: [], points: [], arrows: [], tracks: [], counters: [], end: 1,
                  about: json.otherData || {} };
  const tracks = new Map(), counters = new Map(), arrows = new Map();
  const trackOf = (tid) => {
    if (!tracks.has(tid)) tracks.set(tid, { tid, name: String(tid), order: 0, spans: [], points: [] });
    return tracks.get(tid);
  };
  for (const e of json.traceEvents) {
    if (e.ph === "X") {
      e.track = trackOf(e.tid);
      e.end = e.ts + e.dur;
      e.index = trace.spans.push(e) - 1;
      e.track.spans.push(e);
      if (e.end > trace.end) trace.end = e.end;
    } else if (e.ph === "i") {
      e.track = trackOf(e.tid);
      e.track.points.push(e);
      trace.points.push(e);
      if (e.ts > trace.end) trace.end = e.ts;
    } else if (e.ph === "C") {
      if (!counters.has(e.name)) counters.set(e.name, { name: e.name, times: [], values: [] });
      counters.get(e.name).times.push(e.ts);
      counters.get(e.name).values.push(e.args.value);
    } else if (e.ph === "s" || e.ph === "f") {
      const arrow = arrows.get(e.id) || {};
      arrow[e.ph] = { ts: e.ts, track: trackOf(e.tid) };
      arrows.set(e.id, arrow);
    } else if (e.ph === "M" && e.name === "thread_name") {
      trackOf(e.tid).name = e.args.name;
    } else if (e.ph === "M" && e.name === "thread_sort_index") {
      trackOf(e.tid).order = e.args.sort_index;
    }
  }
  trace.tracks = [...tracks.values()].filter((t) => t.spans.length || t.points.length)
    .sort((a, b) => a.order - b.order);
  trace.tracks.forEach(makeLanes);
  trace.counters = [...counters.values()];
  trace.arrows = [...arrows.values()].filter((a) => a.s && a.f);
  return trace;
}

// One lane per depth; the spans of a lane do not overlap.
function makeLanes(track) {
  track.spans.sort((a, b) => a.ts - b.ts || b.dur - a.dur || a.index - b.index);
  const open = [], lanes = [];
  for (const span of track.spans) {
    while (open.length && open[open.length - 1].end <= span.ts &&
           open[open.length - 1].end < span.end) open.pop();
    span.depth = open.length;
    open.push(span);
    (lanes[span.depth] = lanes[span.depth] || []).push(span);
  }
  track.lanes = lanes.map((spans) => ({
    spans,
    begin: Float64Array.from(spans, (s) => s.ts),
    end: Float64Array.from(spans, (s) => s.end),
    colour: Uint8Array.from(spans, (s) => colourIndex(s)),
  }));
}

// Two shades per category, by name, so that neighbours can be told apart.
function colourIndex(span) {
  const category = Math.max(CATEGORIES.indexOf(span.cat), 0);
  let hash = 0;
  for (let i = 0; i < span.name.length; ++i) hash = (hash * 31 + span.name.charCodeAt(i)) | 0;
  return category * 2 + (hash & 1);
}

// The first index of `sorted`, from `low` on, whose value is greater than `value`.
function firstAbove(sorted, value, low = 0) {
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] > value) high = middle; else low = middle + 1;
  }
  return low;
}

// ---- State and colours --------------------------------------------------------------------

const element = (id) => document.getElementById(id);
const canvas = element("timeline"), minimap = element("minimap");
const context = canvas.getContext("2d", { alpha: false });
const trace = readTrace(JSON.parse(element("trace-data").textContent));
const summary = JSON.parse(element("summary-data").textContent);
const view = { begin: 0, end: trace.end, scroll: 0, width: 0, height: 0 };
let colours = {}, selected = null, matches = [], matching = null, matchAt = -1;
const redraws = [];

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue("--" + name).trim();
  colours = { ground: of("ground"), panel: of("panel"), line: of("line"), text: of("text"),
              faint: of("faint"), match: of("match"), fills: [] };
  for (const category of CATEGORIES) {
    colours[category] = of(category);
    colours.fills.push(of(category), shade(of(category)));
  }
}

function shade(hex) {
  const parts = [1, 3, 5].map((i) => Math.round(parseInt(hex.slice(i, i + 2), 16) * 0.86));
  return "#" + parts.map((v) => v.toString(16).padStart(2, "0")).join("");
}

function timeText(us) {
  const magnitude = Math.abs(us);
  if (magnitude >= 1e6) return (us / 1e6).toPrecision(6).replace(/\.?0+$/, "") + " s";
  if (magnitude >= 1e3) return (us / 1e3).toPrecision(6).replace(/\.?0+$/, "") + " ms";
  return +us.toFixed(3) + " us";
}

const xOf = (time) => (time - view.begin) / (view.end - view.begin) * view.width;
const timeOf = (x) => view.begin + x / view.width * (view.end - view.begin);

// ---- Drawing ------------------------------------------------------------------------------

// Where each track stands; counters first.
function layout() {
  let y = RULER + GAP;
  for (const counter of trace.counters) { counter.y = y; y += COUNTER + GAP; }
  for (const track of trace.tracks) {
    track.y = y;
    y += HEAD + Math.max(track.lanes.length, 1) * LANE + GAP;
  }
  view.total = y;
}

const laneY = (track, depth) => track.y + HEAD + depth * LANE - view.scroll;

function resize() {
  const ratio = window.devicePixelRatio || 1;
  for (const each of [canvas, minimap]) {
    each.width = Math.round(each.clientWidth * ratio);
    each.height = Math.round(each.clientHeight * ratio);
    each.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
  }
  view.width = canvas.clientWidth;
  view.height = canvas.clientHeight;
  drawOverview();
  draw();
}

function draw() {
  const started = performance.now();
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, view.width, view.height);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  trace.counters.forEach(drawCounter);
  trace.tracks.forEach(drawTrack);
  drawArrows();
  drawRuler();
  drawWindow();
  redraws.push(performance.now() - started);
  if (redraws.length > 1000) redraws.shift();
}

let pending = false;
function redraw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => { pending = false; draw(); });
}

function drawRuler() {
  context.fillStyle = colours.panel;
  context.fillRect(0, 0, view.width, RULER);
  const raw = (view.end - view.begin) / (view.width / 110), power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= raw) || 10);
  context.fillStyle = colours.faint;
  context.strokeStyle = colours.line;
  context.beginPath();
  for (let t = Math.ceil(view.begin / step) * step; t <= view.end; t += step) {
    const x = Math.round(xOf(t)) + 0.5;
    context.moveTo(x, 0);
    context.lineTo(x, RULER);
    context.fillText(timeText(t), x + 4, RULER / 2);
  }
  context.stroke();
}

function drawTrack(track) {
  const top = track.y - view.scroll;
  if (top > view.height || top + HEAD + track.lanes.length * LANE < RULER) return;
  track.lanes.forEach((lane, depth) => drawLane(lane, laneY(track, depth)));
  context.fillStyle = colours.faint;
  context.fillText(track.name + "  " + (track.tid < 1 << 23 ? track.tid : ""), 6, top + HEAD / 2);
  context.fillStyle = colours.text;
  for (const point of track.points) {
    const x = xOf(point.ts);
    if (x < -5 || x > view.width + 5) continue;
    context.beginPath();
    context.moveTo(x, top + HEAD);
    context.lineTo(x - 4, top + HEAD - 7);
    context.lineTo(x + 4, top + HEAD - 7);
    context.fill();
  }
  if (selected && selected.track === track) {
    const x = xOf(selected.ts), w = Math.max(xOf(selected.end) - x, 2);
    context.strokeStyle = colours.text;
    context.lineWidth = 2;
    context.strokeRect(x, laneY(track, selected.depth), w, LANE - 2);
    context.lineWidth = 1;
  }
}

function drawLane(lane, y) {
  if (y > view.height || y + LANE < RULER) return;
  const { begin, end, spans, colour } = lane, n = begin.length, height = LANE - 2;
  const pixel = (view.end - view.begin) / view.width;
  for (let i = firstAbove(end, view.begin); i < n && begin[i] < view.end;) {
    const x = xOf(begin[i]), width = xOf(end[i]) - x;
    const found = matching && matching.has(spans[i]);
    context.globalAlpha = matching && !found ? 0.25 : 1;
    context.fillStyle = found ? colours.match : colours.fills[colour[i]];
    if (width < 1.5) {
      // What begins within this pixel is one bar; only the last of it can be wider than that.
      let next = firstAbove(begin, Math.max(begin[i], begin[i] + pixel), i);
      if (next - 1 > i && end[next - 1] - begin[next - 1] > 1.5 * pixel) --next;
      context.fillRect(x, y, Math.max(xOf(end[next - 1]) - x, 1), height);
      i = next;
      continue;
    }
    const left = Math.max(x, 0), right = Math.min(x + width, view.width);
    context.fillRect(left, y, Math.max(right - left - 0.5, 1), height);
    if (right - left > 24) drawLabel(spans[i].name, left, y, right - left);
    ++i;
  }
  context.globalAlpha = 1;
}

function drawLabel(name, x, y, width) {
  const room = Math.floor((width - 8) / 6);
  if (room < 2) return;
  context.fillStyle = colours.text;
  context.fillText(name.length > room ? name.slice(0, room - 1) + "\u2026" : name, x + 4, y + LANE / 2 - 1);
}

function drawCounter(counter) {
  const base = counter.y + COUNTER - view.scroll, most = Math.max(...counter.values, 1e-12);
  context.fillStyle = colours.gpu;
  counter.times.forEach((time, i) => {
    const x = Math.max(xOf(time), 0), next = i + 1 < counter.times.length ? counter.times[i + 1] : trace.end;
    const height = counter.values[i] / most * (COUNTER - 14);
    context.fillRect(x, base - height, Math.max(Math.min(xOf(next), view.width) - x, 0), height);
  });
  context.fillStyle = colours.faint;
  context.fillText(counter.name + "  max " + most.toLocaleString("en"), 6, counter.y + 6 - view.scroll);
}

// Arrows run from a submit to the kernels it caused; when there are many, only the selected ones.
function drawArrows() {
  context.strokeStyle = colours.faint;
  context.beginPath();
  let drawn = 0;
  for (const { s, f } of trace.arrows) {
    const mine = selected && selected.track === f.track && selected.ts === f.ts;
    if (!mine && (drawn > 200 || f.ts < view.begin || s.ts > view.end)) continue;
    ++drawn;
    const x0 = xOf(s.ts), y0 = s.track.y + HEAD - view.scroll;
    const x1 = xOf(f.ts), y1 = laneY(f.track, 0);
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + 20, (y0 + y1) / 2, x1 - 20, (y0 + y1) / 2, x1, y1);
  }
  context.stroke();
}

// ---- The overview -------------------------------------------------------------------------

// How much of each pixel column is covered by outermost spans, per category, drawn once.
let overview = null;
function drawOverview() {
  const width = minimap.clientWidth, height = minimap.clientHeight;
  const sums = CATEGORIES.map(() => new Float64Array(width + 1));
  for (const track of trace.tracks) {
    if (!track.lanes.length) continue;
    const { begin, end, colour } = track.lanes[0];
    for (let i = 0; i < begin.length; ++i) {
      const a = begin[i] / trace.end * width, b = end[i] / trace.end * width, sum = sums[colour[i] >> 1];
      for (let x = Math.floor(a); x <= Math.min(Math.floor(b), width); ++x)
        sum[x] += Math.min(b, x + 1) - Math.max(a, x);
    }
  }
  overview = document.createElement("canvas");
  overview.width = width;
  overview.height = height;
  const ink = overview.getContext("2d"), rows = Math.max(trace.tracks.length, 1);
  ink.fillStyle = colours.panel;
  ink.fillRect(0, 0, width, height);
  for (let x = 0; x < width; ++x) {
    let y = height;
    CATEGORIES.forEach((category, k) => {
      const h = sums[k][x] / rows * (height - 6);
      ink.fillStyle = colours[category];
      ink.fillRect(x, y - h, 1, h);
      y -= h;
    });
  }
}

function drawWindow() {
  const ink = minimap.getContext("2d"), width = minimap.clientWidth, height = minimap.clientHeight;
  ink.drawImage(overview, 0, 0, width, height);
  const a = view.begin / trace.end * width, b = view.end / trace.end * width;
  ink.fillStyle = colours.ground;
  ink.globalAlpha = 0.65;
  ink.fillRect(0, 0, a, height);
  ink.fillRect(b, 0, width - b, height);
  ink.globalAlpha = 1;
  ink.strokeStyle = colours.text;
  ink.strokeRect(a + 0.5, 0.5, Math.max(b - a - 1, 2), height - 1);
}

// ---- Moving -------------------------------------------------------------------------------

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

let dragging = null;
canvas.addEventListener("pointerdown", (e) => {
  dragging = { x: e.offsetX, y: e.offsetY, moved: 0 };
  canvas.setPointerCapture(e.pointerId);
});
canvas.addEventListener("pointermove", (e) => {
  if (!dragging) return hover(e.offsetX, e.offsetY);
  const dx = dragging.x - e.offsetX, dy = dragging.y - e.offsetY;
  dragging = { x: e.offsetX, y: e.offsetY, moved: dragging.moved + Math.abs(dx) + Math.abs(dy) };
  if (dragging.moved < 4) return;
  pan(dx);
  scroll(dy);
});
canvas.addEventListener("pointerup", (e) => {
  if (dragging && dragging.moved < 4) select(hit(e.offsetX, e.offsetY));
  dragging = null;
});
canvas.addEventListener("pointerleave", () => { element("tip").hidden = true; });
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
    n: nextMatch, "/": () => { e.preventDefault(); element("search").focus(); },
  }[e.key];
  if (action && !e.ctrlKey && !e.metaKey) action();
});

// ---- Finding ------------------------------------------------------------------------------

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
  tip.hidden = !span;
  if (!span) return;
  tip.textContent = span.name + (span.ph === "X" ? "  " + timeText(span.dur) : "");
  tip.style.left = Math.min(x + 14, view.width - tip.offsetWidth - 8) + "px";
  tip.style.top = y + 58 + "px";
}

function select(span) {
  selected = span && span.ph === "X" ? span : null;
  const panel = element("details");
  panel.querySelectorAll("dl, p").forEach((old) => old.remove());
  const list = panel.appendChild(document.createElement("dl"));
  const add = (key, value) => {
    list.appendChild(document.createElement("dt")).textContent = key;
    list.appendChild(document.createElement("dd")).textContent = value;
  };
  if (span) {
    add("name", span.name);
    add("category", span.cat);
    add("begin", timeText(span.ts));
    if (span.ph === "X") {
      add("duration", timeText(span.dur));
      add("own time", timeText(ownTime(span)));
    }
    add("track", span.track.name);
    for (const [key, value] of Object.entries(span.args || {}))
      add(key, typeof value === "number" ? value.toLocaleString("en") : value);
  }
  redraw();
}

function ownTime(span) {
  const lane = span.track.lanes[span.depth + 1];
  let own = span.dur;
  if (!lane) return own;
  for (let i = firstAbove(lane.end, span.ts); i < lane.begin.length && lane.begin[i] < span.end; ++i)
    own -= lane.spans[i].dur;
  return own;
}

function search(text) {
  const wanted = text.trim().toLowerCase();
  matches = wanted ? trace.spans.filter((s) => s.name.toLowerCase().includes(wanted)) : [];
  matching = wanted ? new Set(matches) : null;
  matchAt = -1;
  element("matches").textContent = wanted ? matches.length + " found" : "";
  redraw();
}

function nextMatch() {
  if (!matches.length) return;
  matchAt = (matchAt + 1) % matches.length;
  const span = matches[matchAt], length = view.end - view.begin;
  if (span.ts < view.begin || span.end > view.end) {
    const middle = (span.ts + span.end) / 2, half = Math.max(length, span.dur * 1.2) / 2;
    show(middle - half, middle + half);
  }
  select(span);
  element("matches").textContent = matchAt + 1 + " of " + matches.length;
}

element("search").addEventListener("input", (e) => search(e.target.value));
element("fit").addEventListener("click", () => show(0, trace.end));
element("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  readColours();
  resize();
});

// ---- The summary --------------------------------------------------------------------------

function showSummary() {
  const panel = element("summary"), table = panel.appendChild(document.createElement("table"));
  const head = table.createTHead().insertRow();
  for (const title of ["span", "count", "total", "mean", "p95", "share"])
    head.appendChild(document.createElement("th")).textContent = title;
  const body = table.createTBody();
  for (const row of summary.rows.slice(0, 200)) {
    const line = body.insertRow();
    const name = line.insertCell(), dot = name.appendChild(document.createElement("span"));
    dot.className = "dot";
    dot.style.background = `var(--${row.cat})`;
    name.append(row.name);
    name.title = row.cat + " " + row.name;
    const short = (us) => timeText(+us.toPrecision(3));
    const cells = [row.count, short(row.total), short(row.mean), short(row.p95),
                   (row.share * 100).toFixed(1) + "%"];
    for (const text of cells) line.insertCell().textContent = text;
    line.addEventListener("click", () => { element("search").value = row.name; search(row.name); });
  }
  const rest = summary.text.split("\n\n").slice(1).join("\n\n");
  if (rest) panel.appendChild(document.createElement("pre")).textContent = rest;
  element("diagnosis").hidden = !summary.diagnosis.length;
  for (const sentence of summary.diagnosis)
    element("diagnosis").appendChild(document.createElement("p")).textContent = sentence;
  element("about").textContent = [trace.about.command, timeText(trace.end), trace.spans.length + " spans"]
    .filter(Boolean).join("  \u00b7  ");
}

readColours();
layout();
showSummary();
new ResizeObserver(resize).observe(canvas);
resize();

// For scripts that look at the page: what is shown where, and what it cost.
window.metalmomTrace = {
  trace, view, show, select, hit, search, redraws, laneY, draw,
  openedIn: performance.now(),
  get selected() { return selected; },
};
