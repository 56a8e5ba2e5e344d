#!/usr/bin/env python3
"""What a page costs: to make, to load and to look at. Prints one table.

bench_html.py --gprofx build/release/bin/gprof-x --large build/release/bin/bench_large [PROFILE...]

Makes the page of a recording of 10 million samples and 1 million kernels (bench_large writes it; kept with --keep) and of each PROFILE,
--runs times; reports the least and the median of wall and CPU time. Chromium then opens it, and its own tracing counts the frames that
it draws while the timeline and the flame graph zoom without a pause. Frames are those of a browser without a GPU.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e", "support"))
from browser import PROGRAM, Browser  # noqa: E402

# Zooms in and out for two seconds, a little with each frame.
ZOOM_TIMELINE = """new Promise(done => { const start = performance.now(), whole = gprofx.timeline().end;
  const act = now => { const part = (now - start) / 2000; if (part >= 1) return done();
    const width = whole * (0.0005 + Math.abs(Math.cos(part * 6.28)) ** 3); gprofx.look(whole / 2 - width / 2, whole / 2 + width / 2); requestAnimationFrame(act); };
  requestAnimationFrame(act); })"""
ZOOM_FLAME = """new Promise(done => { const start = performance.now(), boxes = gprofx.flame().boxes.filter(each => each.width > 60); let last = 0, i = 0;
  const act = now => { if (now - start >= 2000) return done();
    if (now - last > 200) { last = now; gprofx.press(boxes[i++ % 2 ? 0 : boxes.length - 1].name); } requestAnimationFrame(act); };
  requestAnimationFrame(act); })"""

# Milliseconds until each is laid out, of the slowest of some functions: the call tree and all below its root, the sandwich, a code switch.
ACTIONS = """(() => { const timed = act => { const start = performance.now(); act(); document.body.offsetHeight; return performance.now() - start; };
  const key = key => document.querySelector('.tree').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })), out = {};
  gprofx.set({ range: null });
  out["call tree"] = timed(() => gprofx.open('tree'));
  out["all of it opened"] = timed(() => { key('Home'); key('*'); });
  gprofx.open('sandwich');
  const names = gprofx.rows('functions').sort((a, b) => b.total - a.total).slice(0, 20).map(row => row.name);
  out["sandwich"] = Math.max(...names.map(name => timed(() => gprofx.choose(name))));
  out["python view"] = timed(() => gprofx.set({ code: 'python' }));
  out["folded libraries"] = timed(() => gprofx.set({ code: 'mixed', libraries: 'folded' }));
  gprofx.set({ libraries: 'all' });
  return out; })()"""


def make(gprofx, profile, page, runs):
    walls, cpus, memory = [], [], 0
    for _ in range(runs):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run([gprofx, "report", "--html", page, profile], check=True)
        walls.append(time.monotonic() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        memory = max(memory, after.ru_maxrss)
    return walls, cpus, memory


def frames(browser, expression):
    """Frames per second, and the longest time without one in ms."""
    events = browser.trace(["disabled-by-default-devtools.timeline.frame", "devtools.timeline.frame", "devtools.timeline"],
                           lambda: browser.eval(expression))
    times = sorted(each["ts"] for each in events if each.get("name") == "DrawFrame")
    if len(times) < 2:
        return 0.0, 0.0
    gaps = [b - a for a, b in zip(times, times[1:])]
    return len(gaps) / ((times[-1] - times[0]) / 1e6), max(gaps) / 1e3


def look(page, runs):
    opened, timeline, flame = [], [], []
    with Browser() as browser:
        for _ in range(runs):
            browser.open(page)
            browser.frame()
            opened.append(browser.eval("performance.getEntriesByName('gprofx-shown')[0].startTime"))
        timeline = [frames(browser, ZOOM_TIMELINE) for _ in range(runs)]
        browser.eval("gprofx.open('flame')")
        flame = [frames(browser, ZOOM_FLAME) for _ in range(runs)]
        actions = browser.eval(ACTIONS)
        troubles = browser.troubles()
    return opened, timeline, flame, actions, troubles


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--large", help="the program bench_large")
    parser.add_argument("--keep", help="where the large recording is kept")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("profiles", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gprof-x-bench-") as folder:
        profiles = list(options.profiles)
        if options.large:
            large = options.keep or os.path.join(folder, "large.gprofx")
            if not os.path.exists(large):
                subprocess.run([options.large, large], check=True)
            profiles.insert(0, large)
        for profile in profiles:
            page = os.path.join(folder, "page.html")
            walls, cpus, memory = make(options.gprofx, profile, page, options.runs)
            print("%s: %.1f MB" % (os.path.basename(profile), os.path.getsize(profile) / 1e6))
            print("  page made in     %6.2f s least, %6.2f s median (CPU %.2f s least), %d MB of memory" %
                  (min(walls), statistics.median(walls), min(cpus), memory // 1024))
            print("  page             %6.2f MB" % (os.path.getsize(page) / 1e6))
            if not PROGRAM:
                print("  no Chromium: not opened")
                continue
            opened, timeline, flame, actions, troubles = look(page, options.runs)
            print("  shown after      %6.0f ms least, %.0f ms median" % (min(opened), statistics.median(opened)))
            for name, runs in (("timeline zooms", timeline), ("flame graph zooms", flame)):
                print("  %-17s %5.1f frames/s median, %.1f least; longest pause %.0f ms median" %
                      (name, statistics.median(r[0] for r in runs), min(r[0] for r in runs), statistics.median(r[1] for r in runs)))
            for name, ms in actions.items():
                print("  %-17s %5.0f ms" % (name, ms))
            if troubles:
                print("  troubles: %s" % troubles)


main()
