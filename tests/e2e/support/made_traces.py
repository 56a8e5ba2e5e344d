"""Small traces made by tests, as other tools write them."""
import json

from import_support import TraceFiles

EPOCH = 1700000000000000  # us


class Files(TraceFiles):
    def chrome(self, events, **more):
        return self.file(json.dumps({"schemaVersion": 1, "traceEvents": events, **more}), "trace.json")


def event(cat, name, ts, dur, pid=100, tid=100, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": EPOCH + ts, "dur": dur, "args": args}


def kernel(name, ts, dur, correlation, device=0, **more):
    return dict(event("kernel", name, ts, dur, device, 7, correlation=correlation, device=device, stream=7), **more)


def launch(ts, correlation, pid=100, **more):
    return dict(event("cuda_runtime", "cudaLaunchKernel", ts, 5, pid, pid, correlation=correlation), **more)
