// Makes the rows of the timeline (lanes), and lists the events of each lane in order of time.

const LANE = { stream: ["gpu", "communication", "copy"], thread: ["python", "native", "wait"] };
const AXIS = 20, BAND = 17, STREAM_ROW = 30, THREAD_ROW = 19, GAP = 4, USUAL_THREADS = 5;

function makeLanes(model) {
  const { data } = model, lanes = [], several = data.processes.length > 1;
  const of = (what, index) => LANE[what].map((_, k) => data.column(`lane.${what}${index}.${k}`, Uint8Array));
  const own = index => processName(data, index);
  data.streams.forEach((stream, i) => lanes.push({ what: "stream", index: i, height: STREAM_ROW, buckets: of("stream", i),
    order: (stream.gpu ?? 999) * 1e6 + stream.process * 1e3 + stream.number,
    name: (stream.gpu === null ? "GPU" : "GPU " + stream.gpu) + ", stream " + stream.number,
    short: (stream.gpu === null ? "GPU" : "GPU " + stream.gpu) + ":" + stream.number, more: several ? own(stream.process) : "" }));
  const busy = buckets => buckets.reduce((sum, list) => sum + list.reduce((a, b) => a + b, 0), 0);
  for (const lane of lanes) lane.busy = busy(lane.buckets);
  // Streams that are nearly always idle are not shown at first.
  const busiest = Math.max(0, ...lanes.map(lane => lane.busy));
  for (const lane of lanes) lane.rare = lane.busy < busiest / 200;
  lanes.sort((a, b) => a.order - b.order);
  const threads = data.threads.map((thread, i) => ({ what: "thread", index: i, height: THREAD_ROW, buckets: of("thread", i),
    name: thread.others > 1 ? thread.others + " other threads" : thread.name || "thread " + thread.tid,
    more: several ? own(thread.process) : thread.others > 1 ? "" : String(thread.tid) }));
  for (const lane of threads) lane.busy = busy(lane.buckets);
  threads.sort((a, b) => b.busy - a.busy);
  return markerLanes(model).concat(lanes, threads.filter(lane => lane.busy > 0));
}

// Returns the positions of the events of each lane. They are in order of time.
function groupEvents({ work, samples, waits, data }) {
  const split = (list, count) => {
    const out = Array.from({ length: count }, () => []);
    list.forEach((at, i) => { if (out[at]) out[at].push(i); });
    return out;
  };
  return { workOf: split(work.stream, data.streams.length), samplesOf: split(samples.thread, data.threads.length),
    waitsOf: split(waits.thread, data.threads.length) };
}

function processName(data, index) {
  const process = data.processes[index];
  return process.rank >= 0 ? `rank ${process.rank} ${process.name}` : `${process.name} ${process.pid || ""}`.trim();
}

// Returns the last position in `list` whose time is not after `time`. Returns -1 if there is none.
function positionBefore(list, times, time) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[list[middle]] <= time) low = middle + 1; else high = middle;
  }
  return low - 1;
}
