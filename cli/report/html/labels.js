// Reads the labels of frames from the page's data: what a frame is called and where it is.

const KIND = { root: 0, python: 1, native: 2, inlined: 3, unknown: 4, truncated: 5, idle: 6, operator: 7, api: 8,
  kernel: 9, instruction: 10, marker: 11, copy: 12, process: 13, folded: 1000 };

function readLabels(data, what) {
  const { texts } = data, column = name => data.column(`${what}.${name}`);
  const [name, short, file, line, module, kind, word, communicates] =
    ["name", "short", "file", "line", "module", "kind", "word", "communicates"].map(column);
  return Array.from(name, (_, i) => ({ name: texts[name[i]], short: texts[short[i]], file: texts[file[i]], line: line[i],
    module: texts[module[i]], kind: kind[i], word: texts[word[i]], communicates: communicates[i] === 1, text: name[i] }));
}

// Returns the key of a frame's colour in COLORS (flame.js).
function kindClass(label) {
  switch (label.kind) {
    case KIND.python: return "python";
    case KIND.kernel: return label.communicates ? "communication" : "gpu";
    case KIND.instruction: return "gpu";
    case KIND.copy: return "copy";
    case KIND.api: return "wait";
    case KIND.native: case KIND.inlined: case KIND.operator: return "native";
    default: return "other";
  }
}

// Returns the place of a frame, such as "model.py:88". The folder is included if the file's name is
// one that many files have.
function place(label) {
  if (!label.file) return "";
  const parts = label.file.split("/");
  const keep = /^__(init|main)__\.py$/.test(parts[parts.length - 1]) ? 2 : 1;
  return parts.slice(-keep).join("/") + (label.line ? ":" + label.line : "");
}

// Returns the name to show. Kernels have long names, which only the details show in full.
function shownName(label) { return label.kind === KIND.kernel ? label.short : label.name; }
