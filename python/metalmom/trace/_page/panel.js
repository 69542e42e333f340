// Beside the timeline: details of what was clicked, search, and the summary.

const summary = JSON.parse(element("summary-data").textContent);

function append(parent, tag, text = "", name = "") {
  const made = parent.appendChild(document.createElement(tag));
  made.textContent = text;
  made.className = name;
  return made;
}

function appendPairs(parent, pairs) {
  const list = append(parent, "dl");
  for (const [key, value] of pairs) {
    append(list, "dt", key);
    append(list, "dd", typeof value === "number" ? value.toLocaleString("en") : value);
  }
}

// A dot in the colour of a category.
const appendDot = (parent, category) =>
  append(parent, "span", "", "dot").style.setProperty("background", `var(--${category})`);

// ---- Details ------------------------------------------------------------------------------

function select(span) {
  selected = span && span.ph === "X" ? span : null;
  const panel = element("details");
  panel.querySelectorAll("dl").forEach((old) => old.remove());
  element("hint").hidden = !!span;
  if (span) {
    const times = span.ph === "X"
      ? [["duration", timeText(span.dur)], ["own time", timeText(ownTime(span))]] : [];
    appendPairs(panel, [["name", span.name], ["category", span.cat], ["begin", timeText(span.ts)],
                        ...times, ["track", span.track.name], ...Object.entries(span.args || {})]);
  }
  redraw();
}

function ownTime(span) {
  const lane = span.track.lanes[span.depth + 1];
  let own = span.dur;
  if (!lane) return own;
  const first = firstAbove(lane.end, span.ts);
  for (let i = first; i < lane.begin.length && lane.begin[i] < span.end; ++i)
    own -= lane.spans[i].dur;
  return own;
}

// ---- Search -------------------------------------------------------------------------------

function search(text) {
  const wanted = text.trim().toLowerCase();
  matches = wanted ? trace.spans.filter((s) => s.name.toLowerCase().includes(wanted)) : [];
  matching = wanted ? new Set(matches) : null;
  matchAt = -1;
  element("matches").textContent = wanted ? matches.length.toLocaleString("en") + " found" : "";
  redraw();
}

// Moves to a span, if it is not in view, and selects it.
function reveal(span) {
  const length = view.end - view.begin, y = laneY(span.track, span.depth);
  if (span.ts < view.begin || span.end > view.end) {
    const middle = (span.ts + span.end) / 2, half = Math.max(length, span.dur * 1.2) / 2;
    show(middle - half, middle + half);
  }
  if (y < RULER + HEAD || y + LANE > view.height) scroll(y - view.height / 2);
  select(span);
}

function nextLate() {
  const next = trace.late.find((s) => s.ts > (selected ? selected.ts : -1)) || trace.late[0];
  if (next) reveal(next);
}

function nextMatch() {
  if (!matches.length) return;
  matchAt = (matchAt + 1) % matches.length;
  reveal(matches[matchAt]);
  element("matches").textContent = matchAt + 1 + " of " + matches.length.toLocaleString("en");
}

// ---- Summary ------------------------------------------------------------------------------

function showTitle() {
  element("about").textContent = element("about").title = trace.about.command || "";
  element("extent").textContent = timeText(+trace.end.toPrecision(4)) + " \u00b7 " +
    trace.spans.length.toLocaleString("en") + " spans" +
    (summary.dropped ? " \u00b7 " + summary.dropped.toLocaleString("en") + " dropped" : "");
  element("late").hidden = !trace.late.length;
  element("late").textContent = trace.late.length.toLocaleString("en") + " late";
}

// Time of all threads by what they did.
function showCpu() {
  const used = Object.entries(summary.cpu).filter(([, time]) => time > 0);
  const total = used.reduce((sum, [, time]) => sum + time, 0);
  if (!total) return;
  const panel = element("summary");
  append(panel, "h3", "Threads");
  const bar = append(panel, "div", "", "bar"), legend = append(panel, "p", "", "legend");
  for (const [name, time] of used) {
    const piece = append(bar, "span");
    piece.style.flexGrow = time / total;
    piece.style.background = `var(--${name})`;
    piece.title = `${name} ${percent(time / total)}`;
    const item = append(legend, "span");
    appendDot(item, name);
    item.append(`${name} ${shortTime(time)}`);
  }
}

function copyText(copy) {
  const of = copy.of_calibrated === null ? "" : `, ${percent(copy.of_calibrated)} of calibrated`;
  return `${bytesText(copy.bytes)}, ${copy.gb_per_s.toFixed(1)} GB/s${of}`;
}

function showGpu() {
  const gpu = summary.gpu, panel = element("summary");
  if (!gpu) return;
  append(panel, "h3", "GPU");
  const tiles = append(panel, "div", "", "tiles");
  for (const [name, share] of [["utilisation", gpu.utilisation],
                               ["launch efficiency", gpu.launch_efficiency],
                               ["copies overlapped", gpu.overlap]]) {
    if (share === null) continue;
    const tile = append(tiles, "div");
    append(tile, "strong", percent(share));
    append(tile, "span", name);
  }
  const mean = (count, time) => `${count.toLocaleString("en")}, mean ${shortTime(time)}`;
  appendPairs(panel, [
    ["kernels", mean(gpu.kernels, gpu.mean_kernel)], ["gaps", mean(gpu.gaps, gpu.mean_gap)],
    ["submits", gpu.submits],
    ...["upload", "download"].filter((way) => gpu[way].time)
      .map((way) => [way, copyText(gpu[way])]),
    ...(gpu.bounded ? [["times", "bounds: the device's clock is not calibrated"]] : []),
  ]);
  if (summary.roofline) append(panel, "div").innerHTML = summary.roofline;
}

function showSpans() {
  const panel = element("summary");
  if (!summary.rows.length) return append(panel, "p", "Nothing was recorded.");
  append(panel, "h3", "Spans");
  const legend = append(panel, "p", "", "legend");
  for (const name of COLOURS) {
    if (name === "late" ? !trace.late.length : !summary.rows.some((row) => row.cat === name)) continue;
    const item = append(legend, "span");
    appendDot(item, name);
    item.append(name === "late" ? "late blocks" : name);
  }
  const table = append(panel, "table"), head = table.createTHead().insertRow();
  for (const title of ["name", "count", "total", "mean", "p50", "p95", "share"])
    append(head, "th", title);
  const body = table.createTBody();
  for (const row of summary.rows.slice(0, 200)) {
    const line = body.insertRow(), name = line.insertCell();
    appendDot(name, row.cat);
    name.append(row.name);
    name.title = row.cat + " " + row.name;
    for (const text of [row.count.toLocaleString("en"), shortTime(row.total), shortTime(row.mean),
                        shortTime(row.p50), shortTime(row.p95), percent(row.share)])
      append(line, "td", text);
    line.addEventListener("click", () => { element("search").value = row.name; search(row.name); });
  }
}

function showAbout() {
  element("taken").hidden = !summary.about.length;
  appendPairs(element("taken"), summary.about);
}

function showDiagnosis() {
  element("diagnosis").hidden = !summary.diagnosis.length;
  for (const sentence of summary.diagnosis) append(element("diagnosis"), "p", sentence);
}
