// Drawing, on one canvas. What is narrower than a pixel is merged while drawing: each lane jumps by
// binary search from pixel to pixel, so that a redraw costs pixels, not spans.

const RULER = 24, HEAD = 26, LANE = 18, GAP = 8, COUNTER = 40;

const element = (id) => document.getElementById(id);
const canvas = element("timeline"), minimap = element("minimap");
const context = canvas.getContext("2d", { alpha: false });
const trace = readTrace(JSON.parse(element("trace-data").textContent));
const view = { begin: 0, end: trace.end, scroll: 0, width: 0, height: 0, pointer: -1 };
let colours = {}, selected = null, matches = [], matching = null, matchAt = -1;
const redraws = [], widths = new Map();

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue("--" + name).trim();
  colours = { ground: of("ground"), panel: of("panel"), line: of("line"), text: of("text"),
              faint: of("faint"), match: of("match"), fills: [] };
  for (const name of COLOURS) {
    colours[name] = of(name);
    colours.fills.push(of(name), shade(of(name)));
  }
}

function shade(hex) {
  const parts = [1, 3, 5].map((i) => Math.round(parseInt(hex.slice(i, i + 2), 16) * 0.86));
  return "#" + parts.map((v) => v.toString(16).padStart(2, "0")).join("");
}

const xOf = (time) => (time - view.begin) / (view.end - view.begin) * view.width;
const timeOf = (x) => view.begin + x / view.width * (view.end - view.begin);

// Where each track stands; counters first.
function layout() {
  let y = RULER;
  for (const counter of trace.counters) { counter.y = y; y += COUNTER; }
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
  const started = performance.now(), steps = rulerSteps();
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, view.width, view.height);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  drawGrid(steps);
  trace.counters.forEach(drawCounter);
  trace.tracks.forEach(drawTrack);
  drawArrows();
  trace.counters.forEach((c) => drawHead(c, c.name, "up to " + valueText(c, c.most)));
  trace.tracks.forEach((t) => drawHead(t, t.name, t.tid < 1 << 23 ? "thread " + t.tid : ""));
  drawPointer();
  drawRuler(steps);
  drawScrollbar();
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

// ---- Around the spans ---------------------------------------------------------------------

function rulerSteps() {
  const raw = (view.end - view.begin) / (view.width / 110);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= raw) || 10), times = [];
  for (let t = Math.ceil(view.begin / step) * step; t <= view.end; t += step) times.push(t);
  return times;
}

function drawGrid(steps) {
  context.strokeStyle = colours.line;
  context.globalAlpha = 0.55;
  context.beginPath();
  for (const time of steps) {
    const x = Math.round(xOf(time)) + 0.5;
    context.moveTo(x, RULER);
    context.lineTo(x, view.height);
  }
  context.stroke();
  context.globalAlpha = 1;
}

function drawRuler(steps) {
  context.fillStyle = colours.panel;
  context.fillRect(0, 0, view.width, RULER);
  context.strokeStyle = colours.line;
  context.fillStyle = colours.faint;
  context.beginPath();
  context.moveTo(0, RULER - 0.5);
  context.lineTo(view.width, RULER - 0.5);
  for (const time of steps) {
    const x = Math.round(xOf(time)) + 0.5, text = timeText(time);
    context.moveTo(x, RULER - 7);
    context.lineTo(x, RULER);
    if (x + 4 + context.measureText(text).width < view.width)
      context.fillText(text, x + 4, RULER / 2);
  }
  context.stroke();
  if (view.pointer < 0) return;
  const text = timeText(+timeOf(view.pointer).toPrecision(6));
  const width = context.measureText(text).width + 10;
  const x = Math.min(Math.max(view.pointer - width / 2, 0), view.width - width);
  context.fillStyle = colours.text;
  context.beginPath();
  context.roundRect(x, 3, width, RULER - 6, 4);
  context.fill();
  context.fillStyle = colours.ground;
  context.fillText(text, x + 5, RULER / 2);
}

function drawPointer() {
  if (view.pointer < 0) return;
  context.fillStyle = colours.faint;
  context.fillRect(Math.round(view.pointer), RULER, 1, view.height);
}

// The line above a track and its name, on a patch that keeps arrows from crossing the letters.
function drawHead(track, name, detail) {
  const top = track.y - view.scroll;
  if (top > view.height || top + HEAD < RULER) return;
  context.fillStyle = colours.line;
  context.fillRect(0, top, view.width, 1);
  const width = context.measureText(name).width;
  const more = detail ? context.measureText(detail).width + 8 : 0;
  context.globalAlpha = 0.85;
  context.fillStyle = colours.ground;
  context.fillRect(4, top + 3, width + more + 8, 15);
  context.globalAlpha = 1;
  context.fillStyle = colours.text;
  context.fillText(name, 8, top + 11);
  context.fillStyle = colours.faint;
  context.fillText(detail, 16 + width, top + 11);
}

function drawScrollbar() {
  const hidden = view.total - view.height;
  if (hidden <= 0) return;
  const room = view.height - RULER, length = Math.max(room * room / (view.total - RULER), 24);
  context.fillStyle = colours.faint;
  context.globalAlpha = 0.6;
  context.beginPath();
  context.roundRect(view.width - 7, RULER + view.scroll / hidden * (room - length), 4, length, 2);
  context.fill();
  context.globalAlpha = 1;
}

// ---- Spans --------------------------------------------------------------------------------

function drawTrack(track) {
  const top = track.y - view.scroll;
  if (top > view.height || top + HEAD + track.lanes.length * LANE < RULER) return;
  track.lanes.forEach((lane, depth) => drawLane(lane, laneY(track, depth)));
  context.fillStyle = colours.text;
  for (const point of track.points) drawMark(xOf(point.ts), top + HEAD);
  // a late block at every scale, once for each pixel
  context.fillStyle = colours.late;
  const pixel = (view.end - view.begin) / view.width, { late } = track;
  for (let i = firstAbove(late, view.begin - 5 * pixel); i < late.length && late[i] < view.end;
       i = firstAbove(late, late[i] + pixel, i))
    drawMark(xOf(late[i]), top + HEAD);
  if (selected && selected.track === track) {
    const x = xOf(selected.ts), w = Math.max(xOf(selected.end) - x, 2);
    context.strokeStyle = colours.text;
    context.lineWidth = 2;
    context.strokeRect(x, laneY(track, selected.depth), w, LANE - 2);
    context.lineWidth = 1;
  }
}

function drawMark(x, y) {
  if (x < -5 || x > view.width + 5) return;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - 4, y - 7);
  context.lineTo(x + 4, y - 7);
  context.fill();
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
    if (right - left > 20) {
      context.fillStyle = isLate(spans[i]) && !found ? "#ffffff" : colours.text;
      drawLabel(spans[i].name, left + 4, y + height / 2, right - left - 8);
    }
    ++i;
  }
  context.globalAlpha = 1;
}

function widthOf(text) {
  if (!widths.has(text)) widths.set(text, context.measureText(text).width);
  return widths.get(text);
}

// As much of the name as there is room for.
function drawLabel(name, x, y, room) {
  const width = widthOf(name);
  let text = name;
  if (width > room) {
    const length = Math.floor(name.length * (room - widthOf("\u2026")) / width);
    if (length < 2) return;
    text = name.slice(0, length) + "\u2026";
  }
  context.fillText(text, x, y);
}

const valueText = (counter, value) =>
  counter.name.includes("memory") ? bytesText(value) : value.toLocaleString("en");

function drawCounter(counter) {
  const base = counter.y + COUNTER - 2 - view.scroll, { times, values } = counter;
  const heightOf = (i) => values[i] / (counter.most || 1) * (COUNTER - 22);
  const from = Math.max(firstAbove(times, view.begin) - 1, 0);
  context.beginPath();
  for (let i = from; i < times.length && times[i] < view.end; ++i) {
    const next = i + 1 < times.length ? times[i + 1] : trace.end, y = base - heightOf(i);
    context.lineTo(Math.max(xOf(times[i]), 0), y);
    context.lineTo(Math.min(xOf(next), view.width), y);
  }
  context.strokeStyle = context.fillStyle = colours.gpu;
  context.stroke();
  if (from < times.length) {
    context.lineTo(Math.min(xOf(trace.end), view.width), base);
    context.lineTo(Math.max(xOf(times[from]), 0), base);
    context.globalAlpha = 0.25;
    context.fill();
    context.globalAlpha = 1;
  }
}

// Arrows run from a submit to the kernels it caused; when there are many, only the selected ones.
function drawArrows() {
  context.strokeStyle = colours.text;
  context.globalAlpha = 0.45;  // names stay readable under them
  context.beginPath();
  let drawn = 0;
  for (const { s, f } of trace.arrows) {
    const mine = selected && selected.track === f.track && selected.ts === f.ts;
    if (!mine && (drawn > 200 || f.ts < view.begin || s.ts > view.end)) continue;
    ++drawn;
    const x0 = xOf(s.ts), y0 = s.track.y + HEAD - view.scroll;
    const x1 = xOf(f.ts), y1 = laneY(f.track, 0);
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1 - 1);
    context.moveTo(x1 - 3, y1 - 6);
    context.lineTo(x1, y1 - 1);
    context.lineTo(x1 + 3, y1 - 6);
  }
  context.stroke();
  context.globalAlpha = 1;
}

// ---- The overview -------------------------------------------------------------------------

// How much of each pixel column is covered by outermost spans, per category, against the fullest one; and
// where blocks were late. Drawn once.
let overview = null;
function drawOverview() {
  const width = minimap.clientWidth, height = minimap.clientHeight;
  const sums = COLOURS.map(() => new Float64Array(width + 1));
  for (const track of trace.tracks) {
    if (!track.lanes.length) continue;
    const { begin, end, colour } = track.lanes[0];
    for (let i = 0; i < begin.length; ++i) {
      const a = begin[i] / trace.end * width, b = end[i] / trace.end * width;
      const sum = sums[colour[i] >> 1];
      for (let x = Math.floor(a); x <= Math.min(Math.floor(b), width); ++x)
        sum[x] += Math.min(b, x + 1) - Math.max(a, x);
    }
  }
  overview = document.createElement("canvas");
  overview.width = width;
  overview.height = height;
  const ink = overview.getContext("2d");
  const most = sums[0].reduce((found, _, x) => Math.max(found, sums.reduce((sum, of) => sum + of[x], 0)), 1e-9);
  ink.fillStyle = colours.panel;
  ink.fillRect(0, 0, width, height);
  for (let x = 0; x < width; ++x) {
    let y = height;
    COLOURS.forEach((name, k) => {
      const h = sums[k][x] / most * (height - 10);
      ink.fillStyle = colours[name];
      ink.fillRect(x, y - h, 1, h);
      y -= h;
    });
  }
  ink.fillStyle = colours.late;
  for (const { ts } of trace.late) ink.fillRect(Math.floor(ts / trace.end * width) - 1, 0, 2, 6);
}

function drawWindow() {
  const ink = minimap.getContext("2d"), width = minimap.clientWidth, height = minimap.clientHeight;
  ink.drawImage(overview, 0, 0, width, height);
  const a = view.begin / trace.end * width, b = view.end / trace.end * width;
  if (b - a > width - 1) return;
  ink.fillStyle = colours.ground;
  ink.globalAlpha = 0.65;
  ink.fillRect(0, 0, a, height);
  ink.fillRect(b, 0, width - b, height);
  ink.globalAlpha = 1;
  ink.strokeStyle = colours.text;
  ink.strokeRect(a + 0.5, 0.5, Math.max(b - a - 1, 2), height - 1);
}
