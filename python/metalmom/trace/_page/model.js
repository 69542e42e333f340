// The trace as typed arrays: one lane per depth of a track, whose spans do not overlap, so that
// what is shown at a moment is found by binary search.

const CATEGORIES = ["bridge", "engine", "gpu", "user"];
const COLOURS = [...CATEGORIES, "late"];  // a block of a stream that was late has its own

function readTrace(json) {
  const trace = { spans: [], late: [], points: [], arrows: [], tracks: [], counters: [], end: 1,
                  about: json.otherData || {} };
  const tracks = new Map(), counters = new Map(), arrows = new Map();
  const trackOf = (tid) => {
    if (!tracks.has(tid))
      tracks.set(tid, { tid, name: String(tid), order: 0, spans: [], points: [] });
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
      if (!counters.has(e.name)) counters.set(e.name, []);
      counters.get(e.name).push(e);
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
  trace.late = trace.tracks.flatMap((t) => t.spans.filter(isLate)).sort((a, b) => a.ts - b.ts);
  trace.counters = [...counters].map(([name, samples]) => makeCounter(name, samples));
  trace.arrows = [...arrows.values()].filter((a) => a.s && a.f);
  return trace;
}

// Several threads may have written the samples.
function makeCounter(name, samples) {
  samples.sort((a, b) => a.ts - b.ts);
  const values = samples.map((e) => e.args.value);
  return { name, times: Float64Array.from(samples, (e) => e.ts), values,
           most: values.reduce((most, value) => Math.max(most, value), 0) };
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
  track.late = Float64Array.from(track.spans.filter(isLate), (s) => s.ts);
  track.lanes = lanes.map((spans) => ({
    spans,
    begin: Float64Array.from(spans, (s) => s.ts),
    end: Float64Array.from(spans, (s) => s.end),
    colour: Uint8Array.from(spans, (s) => colourIndex(s)),
  }));
}

const isLate = (span) => span.args?.late > 0;

// Two shades per category, by name, so that neighbours can be told apart.
function colourIndex(span) {
  const category = Math.max(COLOURS.indexOf(isLate(span) ? "late" : span.cat), 0);
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

// ---- Figures as text ----------------------------------------------------------------------

function timeText(us) {
  const magnitude = Math.abs(us);
  if (magnitude >= 1e6) return (us / 1e6).toPrecision(6).replace(/\.?0+$/, "") + " s";
  if (magnitude >= 1e3) return (us / 1e3).toPrecision(6).replace(/\.?0+$/, "") + " ms";
  return +us.toFixed(3) + " \u00b5s";
}

const shortTime = (us) => timeText(+us.toPrecision(3));

function bytesText(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const at = Math.min(Math.max(Math.floor(Math.log10(Math.max(count, 1)) / 3), 0), 4);
  return +(count / 1000 ** at).toPrecision(3) + " " + units[at];
}

const percent = (share) => (share * 100).toFixed(1) + " %";
