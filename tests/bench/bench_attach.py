#!/usr/bin/env python3
"""Attaches to running programs, records a little, leaves, many times: does the program notice?

For each kind of program: attachments that worked, how long a thread of it stood still (median, most; 0 where CPython let the agent in
itself), whether its output and
status are those of a run without us, and its steps per second of CPU time before, during and after (medians of paired windows; the
machine may be busy otherwise), the latter with the 95 % interval of the median. With --peers the same stop by `py-spy dump` and by gdb,
where they are installed. numba, django and torch are those of --packages-python.

    bench_attach.py --gprofx build/release/bin/gprof-x [--times 100] [--kinds cpython,turns,threads,http,django,numba,torch] [--peers]
"""
import argparse
import glob
import http.client
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SPIN = r"""
import sys, time, hashlib
def step(k):
    total = 0
    for i in range(2000): total += (i * k) % 7
    return total
def hash_step(k): return hashlib.sha256(b'%d' % k * 4000).digest()[0]
stop = []
import signal
signal.signal(signal.SIGUSR1, lambda *a: stop.append(1))
done = 0; check = 0
beat = open(sys.argv[1], 'w', buffering=1)
last = time.monotonic()
while not stop:
    check = (check * 31 + step(done % 97) + hash_step(done % 97)) % 1000003
    done += 1
    now = time.monotonic()
    if now - last > 0.002:
        beat.write('%.6f %d %.6f\n' % (now, done, time.process_time())); last = now
table = [step(k) + hash_step(k) for k in range(97)]
expect = 0
for k in range(done): expect = (expect * 31 + table[k % 97]) % 1000003
print('steps', done > 0, 'whole', check == expect)
sys.exit(3)
"""

# Four threads that take turns in the interpreter.
TURNS = r"""
import signal, sys, threading, time
def step(k):
    total = 0
    for i in range(2000): total += (i * k) % 7
    return total
stop = []
signal.signal(signal.SIGUSR1, lambda *a: stop.append(1))
done = [0] * 4; check = [0] * 4
beat = open(sys.argv[1], 'w', buffering=1)
def work(me):
    last = time.monotonic()
    while not stop:
        check[me] = (check[me] * 31 + step(done[me] % 97)) % 1000003
        done[me] += 1
        now = time.monotonic()
        if me == 0 and now - last > 0.002:
            beat.write('%.6f %d %.6f\n' % (now, sum(done), time.process_time())); last = now
others = [threading.Thread(target=work, args=(i,)) for i in (1, 2, 3)]
for thread in others: thread.start()
work(0)
for thread in others: thread.join()
table = [step(k) for k in range(97)]
def expect(n):
    value = 0
    for k in range(n): value = (value * 31 + table[k % 97]) % 1000003
    return value
print('steps', min(done) > 0, 'whole', check == [expect(n) for n in done])
sys.exit(3)
"""

THREADS = r"""
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
std::atomic<bool> stop{false};
std::atomic<long> done{0};
std::mutex lock;
std::condition_variable woken;
int main(int, char** argv) {
  signal(SIGUSR1, [](int) { stop = true; });
  std::vector<std::thread> threads;
  for (int i = 0; i < 500; ++i) {
    threads.emplace_back([i] {
      std::map<int, std::string> texts;
      for (int k = 0; !stop; ++k) {
        for (int j = 0; j < 50; ++j) texts[j % 20] = std::string(static_cast<size_t>(j * 7 % 90), 'x');
        ++done;
        std::unique_lock<std::mutex> hold(lock);
        woken.wait_for(hold, std::chrono::milliseconds(20 + i % 30));
      }
    });
  }
  std::ofstream beat(argv[1]);
  while (!stop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::thread([] { ++done; }).join();
    double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    timespec cpu{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    beat << std::fixed << now << ' ' << done << ' ' << double(cpu.tv_sec) + 1e-9 * double(cpu.tv_nsec) << std::endl;
  }
  for (auto& thread : threads) thread.join();
  std::puts("steps True whole True");
  return 3;
}
"""

HTTP = r"""
import http.server, json, signal, socketserver, sys, threading
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({str(i): [i] * 5 for i in range(200)}).encode()
        self.send_response(200); self.send_header('Content-Length', str(len(body))); self.end_headers()
        self.wfile.write(body)
    def log_message(self, *a): pass
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer): daemon_threads = True; request_queue_size = 128
server = Server(('127.0.0.1', 0), Handler)
print(server.server_address[1], flush=True)
signal.signal(signal.SIGUSR1, lambda *a: threading.Thread(target=server.shutdown).start())
server.serve_forever()
print('steps True whole True')
sys.exit(3)
"""

TORCH = r"""
import signal, sys, time, torch
torch.manual_seed(1); torch.set_num_threads(2)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data, target = torch.randn(64, 64), torch.randn(64, 8)
stop = []
signal.signal(signal.SIGUSR1, lambda *a: stop.append(1))
beat = open(sys.argv[1], 'w', buffering=1); done = 0; last = time.monotonic()
while not stop:
    optimizer.zero_grad(); loss = ((model(data) - target) ** 2).mean(); loss.backward(); optimizer.step(); done += 1
    now = time.monotonic()
    if now - last > 0.002: beat.write('%.6f %d %.6f\n' % (now, done, time.process_time())); last = now
print('steps', done > 0, 'whole', bool(loss < 10))
sys.exit(3)
"""

NUMBA = r"""
import os
os.environ["OMP_WAIT_POLICY"] = "passive"  # threads that spin while they wait make work per CPU second a matter of chance
import numba, numpy, signal, sys, time
@numba.njit(nogil=True)
def walk(a, k):
    total = 0.0
    for i in range(a.size): total += a[(i * k) % a.size] * 0.5
    return total
@numba.njit(parallel=True)
def spread(a):
    total = 0.0
    for i in numba.prange(a.size): total += a[i]
    return total
stop = []
signal.signal(signal.SIGUSR1, lambda *a: stop.append(1))
a = numpy.arange(20000.0)
expect = {k: walk(a, k) for k in range(1, 9)}; whole = spread(a)
beat = open(sys.argv[1], 'w', buffering=1); done = wrong = 0; last = time.monotonic()
while not stop:
    k = done % 8 + 1
    wrong += walk(a, k) != expect[k] or spread(a) != whole; done += 1
    now = time.monotonic()
    if now - last > 0.002: beat.write('%.6f %d %.6f\n' % (now, done, time.process_time())); last = now
print('steps', done > 0, 'whole', wrong == 0)
sys.exit(3)
"""

DJANGO = r"""
import signal, socketserver, sys, threading
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer
import django
from django.conf import settings
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=['*'], SECRET_KEY='x', TEMPLATES=[{
    'BACKEND': 'django.template.backends.django.DjangoTemplates', 'OPTIONS': {}}])
django.setup()
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.template import engines
from django.urls import path
page = engines['django'].from_string('{% for i in rows %}<li>{{ i }} {% if i|divisibleby:3 %}three{% endif %}</li>{% endfor %}')
urlpatterns = [path('', lambda request: HttpResponse(page.render({'rows': range(100)})))]
class Quiet(WSGIRequestHandler):
    def log_message(self, *a): pass
class Server(socketserver.ThreadingMixIn, WSGIServer): daemon_threads = True; request_queue_size = 128
server = Server(('127.0.0.1', 0), Quiet)
server.set_app(get_wsgi_application())
print(server.server_address[1], flush=True)
signal.signal(signal.SIGUSR1, lambda *a: threading.Thread(target=server.shutdown).start())
server.serve_forever()
print('steps True whole True')
sys.exit(3)
"""


def beats(path):
    rows = []
    for line in open(path).read().split("\n")[:-1]:
        rows.append(tuple(map(float, line.split())))
    return rows


def rate(rows, begin, end):
    """Steps per second of the program's CPU time."""
    inside = [r for r in rows if begin <= r[0] <= end]
    if len(inside) < 3 or inside[-1][2] == inside[0][2]:
        return None
    return (inside[-1][1] - inside[0][1]) / (inside[-1][2] - inside[0][2])


def cpu_clock(pid):
    """Of another process, for time.clock_gettime: clock_getcpuclockid(3)."""
    return (~pid << 3) | 2


def interval(values):
    """Bounds of the median with 95 % confidence, by ranks."""
    ordered = sorted(values)
    half = 0.98 * len(ordered) ** 0.5
    low, high = int(len(ordered) / 2 - half), int(len(ordered) / 2 + half)
    return [round(ordered[max(low, 0)], 4), round(ordered[min(high, len(ordered) - 1)], 4)]


class Load(threading.Thread):
    """Requests to a server without a pause; counts answers as a program would its steps."""

    def __init__(self, port, path, pid):
        super().__init__(daemon=True)
        self.port, self.path, self.stop, self.failed, self.clock = port, path, False, 0, cpu_clock(pid)

    def run(self):
        done = 0
        with open(self.path, "w", buffering=1) as beat:
            while not self.stop:
                try:
                    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                    connection.request("GET", "/")
                    self.failed += len(connection.getresponse().read()) < 1000
                    connection.close()
                except OSError:
                    self.failed += 1
                done += 1
                beat.write("%.6f %d %.6f\n" % (time.monotonic(), done, time.clock_gettime(self.clock)))


def start(kind, folder, python):
    path = os.path.join(folder, "beat")
    open(path, "w").close()
    if kind == "threads":
        program = os.path.join(folder, "threads")
        if not os.path.exists(program):
            with open(program + ".cpp", "w") as file:
                file.write(THREADS)
            subprocess.run(["g++", "-O2", "-std=c++17", "-pthread", "-o", program, program + ".cpp"], check=True)
        command = [program, path]
    else:
        text = {"cpython": SPIN, "turns": TURNS, "http": HTTP, "django": DJANGO, "numba": NUMBA, "torch": TORCH}[kind]
        command = [python, "-u", "-c", text, path]
    target = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    load = None
    if kind in ("http", "django"):
        load = Load(int(target.stdout.readline()), path, target.pid)
        load.start()
    end = time.monotonic() + 60
    while not os.path.getsize(path) and time.monotonic() < end and target.poll() is None:
        time.sleep(0.05)
    return target, load, path


def finish(target, load):
    if load is not None:
        load.stop = True
        load.join(10)
    if target.poll() is None:
        target.send_signal(signal.SIGUSR1)
    try:
        out, err = target.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        target.kill()
        return "hangs"
    failed = load is not None and load.failed
    if out.strip() != "steps True whole True" or err.strip() or target.returncode != 3 or failed:
        return "status %s, output %r, errors %r, failed requests %s" % (target.returncode, out[-80:], err[-200:], failed)
    return ""


def held_by_peer(kind, pid):
    began = time.monotonic()
    command = {"py-spy": ["py-spy", "dump", "--pid", str(pid)],
               "gdb": ["gdb", "-nx", "-batch", "-p", str(pid), "-ex", "detach"]}[kind]
    run = subprocess.run(command, capture_output=True, text=True)
    return (time.monotonic() - began) * 1000 if run.returncode == 0 else None


HELD = re.compile(r"(?:thread was stopped for ([0-9.]+) (us|ms|s)\b|no thread was stopped)")


def milliseconds(text):
    return [float(n) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit] if n else 0 for n, unit in HELD.findall(text)]


def attach(options, pid, out):
    if options.control:
        time.sleep(options.window)
        return subprocess.CompletedProcess([], 0, "", "%.3f s -> nothing; no thread was stopped, no thread was stopped" % options.window)
    return subprocess.run([options.gprofx, "record", "-v", "--pid", str(pid), "--duration", str(options.window), "--timeline", "no", "-o", out],
                          capture_output=True, text=True)


def run(options, kind, python, name):
    folder = tempfile.mkdtemp(prefix="bench-attach-")
    target, load, path = start(kind, folder, python)
    held_in, held_out, during, after, failures = [], [], [], [], []
    for number in range(options.times):
        time.sleep(options.window)
        begin = time.monotonic()
        out = os.path.join(folder, "p.gprofx")
        done = attach(options, target.pid, out)
        end = time.monotonic()
        if target.poll() is not None:
            failures.append("the target ended")
            break
        if done.returncode != 0:
            failures.append(done.stderr.strip().split("\n")[-1])
            continue
        held = milliseconds(done.stderr)
        if len(held) < 2:
            failures.append(done.stderr.strip())
        held_in += held[:1]
        held_out += held[1:2]
        time.sleep(options.window)
        rows = beats(path)
        attached = max((float(n) for n in re.findall(r"([0-9.]+) s -> ", done.stderr)), default=0)
        before_rate = rate(rows, begin - options.window, begin)
        during_rate = rate(rows, begin + 0.05, begin + 0.05 + attached)
        after_rate = rate(rows, end + 0.02, end + 0.02 + options.window)
        if before_rate and during_rate and after_rate:
            during.append(before_rate / during_rate)
            after.append(before_rate / after_rate)
    peers = {}
    for peer in ("py-spy", "gdb"):
        if options.peers and shutil.which(peer) and target.poll() is None and (peer == "gdb" or kind != "threads"):
            times = [t for t in (held_by_peer(peer, target.pid) for _ in range(5)) if t is not None]
            if times:
                peers[peer + "_ms"] = round(statistics.median(times), 1)
    wrong = finish(target, load)
    shutil.rmtree(folder, ignore_errors=True)
    def medians(values):
        return [round(statistics.median(values), 3), round(max(values), 3)] if values else None
    result = {"program": name, "times": options.times, "worked": len(held_out), "held_in_ms": medians(held_in),
              "held_out_ms": medians(held_out), "during": medians(during) and medians(during)[0],
              "after": medians(after) and medians(after)[0],
              "after_95": interval(after) if after else None, "target": wrong or "unchanged", **peers}
    if failures:
        result["failures"] = failures[:3]
    print(json.dumps(result), flush=True)
    return not failures and not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--control", action="store_true", help="nobody attaches: what this way of measuring says of itself")
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--window", type=float, default=0.3, help="seconds before, during and after")
    parser.add_argument("--kinds", default="cpython,turns,threads,http,django,numba,torch")
    parser.add_argument("--pythons", default=":".join(sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")))))
    parser.add_argument("--packages-python", default=sys.executable)
    parser.add_argument("--peers", action="store_true")
    options = parser.parse_args()
    good = True
    for kind in options.kinds.split(","):
        if kind in ("cpython", "turns"):
            for python in filter(None, options.pythons.split(":")):
                version = subprocess.run([python, "-V"], capture_output=True, text=True).stdout.strip()
                if version.split(".")[1] in ("6", "7"):
                    continue
                good &= run(options, kind, python, version + (", 4 threads" if kind == "turns" else ""))
        elif kind in ("torch", "numba", "django"):
            have = subprocess.run([options.packages_python, "-c", "import " + kind], capture_output=True)
            if have.returncode != 0:
                print("skipped: no %s for %s" % (kind, options.packages_python))
                continue
            good &= run(options, kind, options.packages_python, {"torch": "PyTorch, CPU", "numba": "numba, parallel", "django": "django under load"}[kind])
        else:
            good &= run(options, kind, sys.executable, {"threads": "C++, 500 threads", "http": "http.server under load"}[kind])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
