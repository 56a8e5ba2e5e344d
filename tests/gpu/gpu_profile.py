"""Reads a profile with SQL, for the questions that the GPU suite asks of it."""
import collections
import sqlite3

import streams

PYTHON, NATIVE, INLINED, CUDA_API, KERNEL, INSTRUCTION, MARKER, COPY = 1, 2, 3, 8, 9, 10, 11, 12
STALLS = ("memory", "shared", "sync", "compute", "frontend", "issue", "other")
Frame = collections.namedtuple("Frame", "kind name file line")


class GpuProfile:
    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
        self.db.text_factory = lambda data: data.decode("utf-8", "replace")
        strings = dict(self.rows("SELECT id, text FROM string"))
        functions = {i: (strings.get(n, ""), strings.get(f, "")) for i, n, f in self.rows("SELECT id, name, file FROM function")}
        self.frames = {}
        for i, kind, function, file, line in self.rows("SELECT id, kind, function, file, line FROM frame"):
            name, where = functions.get(function, ("", ""))
            self.frames[i] = Frame(kind, name, strings.get(file, "") or where, line)
        self.strings = strings
        self.parent, self.frame_of = {}, {}
        for i, parent, frame in self.rows("SELECT id, parent, frame FROM node"):
            self.parent[i], self.frame_of[i] = parent, self.frames[frame]
        self.metrics = dict(self.rows("SELECT name, id FROM metric"))
        self.meta = dict(self.rows("SELECT name, value FROM meta"))
        self.quality = dict(self.rows("SELECT name, value FROM quality"))
        self.owners = {}  # node -> the kernel or copy node that it belongs to

    def rows(self, sql, *arguments):
        return self.db.execute(sql, arguments).fetchall()

    def values(self, metric):
        """Self values by node, over all threads."""
        return dict(self.rows("SELECT node, sum(self) FROM value WHERE metric = ? GROUP BY node", self.metrics.get(metric, -1)))

    def total(self, metric):
        return sum(self.values(metric).values())

    def path(self, node):
        """Frames from the root to a node."""
        frames = []
        while node:
            frames.append(self.frame_of[node])
            node = self.parent[node]
        return frames[::-1]

    def owner(self, node):
        """The kernel or copy node that a node is or lies below; 0 = none."""
        chain = []
        while node and node not in self.owners:
            chain.append(node)
            if self.frame_of[node].kind in (KERNEL, COPY):
                self.owners[node] = node
                break
            node = self.parent[node]
        found = self.owners.get(node, 0)
        for below in chain:
            self.owners[below] = found
        return found

    def by_kernel(self, metric, kinds=(KERNEL,)):
        """Sum of a metric for each kernel name, lines below included."""
        sums = {}
        for node, value in self.values(metric).items():
            owner = self.owner(node)
            if owner and self.frame_of[owner].kind in kinds:
                name = self.frame_of[owner].name
                sums[name] = sums.get(name, 0) + value
        return sums

    def stall_classes(self, kernel):
        """Samples by class of the kernels whose name starts with `kernel`."""
        return {c: sum(v for n, v in self.by_kernel("stall_" + c).items() if n.startswith(kernel)) for c in STALLS}

    def stall_reasons(self, kernel):
        """Samples by the reason's own name; needs libzstd."""
        columns = streams.read(self.db, streams.PC_SAMPLES)
        sums = {}
        for stall, samples, node in zip(columns.get(4, ()), columns.get(5, ()), columns.get(7, ())):
            owner = self.owner(node) if node else 0
            if owner and self.frame_of[owner].name.startswith(kernel):
                name = self.strings.get(stall, "")
                sums[name] = sums.get(name, 0) + samples
        return sums

    def launch_lines(self):
        """[(kernel, file, line, function, count)]: the innermost Python frame of each kernel's path; ("", 0, "") = none."""
        found = []
        for node, count in self.values("gpu_operations").items():
            if self.frame_of[node].kind == KERNEL:
                inner = next((f for f in reversed(self.path(node)) if f.kind == PYTHON), Frame(PYTHON, "", "", 0))
                found.append((self.frame_of[node].name, inner.file, inner.line, inner.name, count))
        return found

    def operations(self):
        """{"kernel": n, "copy": n, "set": n}: what ran on the GPU."""
        counts = {"kernel": 0, "copy": 0, "set": 0}
        for node, count in self.values("gpu_operations").items():
            frame = self.frame_of[node]
            if frame.kind == KERNEL:
                counts["kernel"] += count
            elif frame.kind == COPY:
                counts["set" if frame.name.startswith("set ") else "copy"] += count
        return counts

    def sampled_lines(self, kernel):
        """{(file, line): PC samples} below the kernels whose name starts with `kernel`; (file, 0) is their own."""
        lines = {}
        for node, count in self.values("gpu_samples").items():
            owner = self.owner(node)
            if owner and self.frame_of[owner].name.startswith(kernel):
                frame = self.frame_of[node]
                key = (frame.file, frame.line if frame.kind == INSTRUCTION else 0)
                lines[key] = lines.get(key, 0) + count
        return lines

    def samples_through(self, kernel, ending):
        """PC samples of a kernel at, or inlined into, lines of files with this ending."""
        found = 0
        for node, count in self.values("gpu_samples").items():
            owner = self.owner(node)
            if owner and self.frame_of[owner].name.startswith(kernel):
                below = self.path(node)[len(self.path(owner)):]
                found += count if any(f.kind == INSTRUCTION and f.line and f.file.endswith(ending) for f in below) else 0
        return found

    def without_path(self):
        """(kernels and copies without code of the program above them, all)."""
        bare = every = 0
        for node, count in self.values("gpu_operations").items():
            every += count
            if not any(f.kind in (PYTHON, NATIVE, INLINED) for f in self.path(node)):
                bare += count
        return bare, every

    def recorded_ns(self):
        """Time of all records of kernels, copies and sets; needs libzstd."""
        return sum(sum(streams.read(self.db, s).get(2, ())) for s in (streams.KERNELS, streams.COPIES, streams.SETS))

    def wall_parts(self):
        try:
            return [tuple(r) for r in self.rows("SELECT name, ns FROM wall_part")]
        except sqlite3.OperationalError:
            return []

    def pc_accounts(self):
        """(received, attributed, unattributed, dropped)."""
        q = self.quality
        attributed = sum(q.get("gpu_pc_" + n, 0) for n in ("exact", "proportional", "function_only"))
        return q.get("gpu_pc_received", 0), attributed, q.get("gpu_pc_unattributed", 0), q.get("gpu_pc_dropped", 0)

    def close(self):
        self.db.close()
