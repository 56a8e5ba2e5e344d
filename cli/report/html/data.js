// Reads the data in an element of the page: zlib that contains JSON and columns, as page_data.cpp
// writes them.

async function readData(id = "data") {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old for this page: it has no DecompressionStream");
  const text = document.getElementById(id).textContent.trim();
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const all = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(all.buffer).getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(all.subarray(4, 4 + length)));
  return { ...data, column: columnReader(data.columns, all.subarray(4 + length)) };
}

// Returns a function column(name, Type) that decodes a column of zigzag LEB128 numbers, or of
// differences between such numbers. Numbers beyond 32 bits are computed without bit operations,
// which would cut them.
function columnReader(directory, bytes) {
  return (name, Type = Int32Array) => {
    const entry = directory[name];
    if (!entry) return new Type(0);
    const [offset, rows, deltas] = entry;
    const out = new Type(rows);
    let at = offset, before = 0;
    for (let i = 0; i < rows; i++) {
      let byte = bytes[at++], number = byte & 127;
      for (let scale = 128; byte & 128; scale *= 128) {
        byte = bytes[at++];
        number += (byte & 127) * scale;
      }
      number = number % 2 ? -(number + 1) / 2 : number / 2;
      if (deltas) number = before += number;
      out[i] = number;
    }
    return out;
  };
}

// The functions below format numbers in the same way as the text report.
function grouped(number) {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");
}

function duration(ns) {
  if (ns === 0) return "0 s";
  const size = Math.abs(ns);
  const [value, unit] = size < 999.5 ? [size, "ns"] : size < 999.5e3 ? [size / 1e3, "us"]
    : size < 999.5e6 ? [size / 1e6, "ms"] : [size / 1e9, "s"];
  const digits = unit === "ns" || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  const text = value >= 999.5 ? grouped(Math.floor(value + 0.5)) : value.toFixed(digits);
  return (ns < 0 ? "-" : "") + text + " " + unit;
}

function percent(part, whole) {
  if (!(whole > 0)) return "-";
  const share = 100 * part / whole;
  return share > 999 ? ">999%" : share < -999 ? "<-999%" : share.toFixed(1).replace(/^-0\.0$/, "0.0") + "%";
}

function amount(value, unit) { return unit === "ns" ? duration(value) : grouped(value); }

// Formats a time of the run. The number of digits is large enough to distinguish times that are
// `step` ns apart.
function moment(ns, step) {
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / 1e9) - 1e-9)));
  return (ns / 1e9).toFixed(digits) + " s";
}
