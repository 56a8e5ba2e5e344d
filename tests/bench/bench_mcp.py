#!/usr/bin/env python3
"""How long `gprof-x mcp` takes for a request and what memory it needs, asked by the official client of the protocol.

bench_mcp.py --gprofx build/release/bin/gprof-x --large build/release/bin/bench_large [--folder FOLDER] [--requests 10000]

Needs the package mcp of PyPI. bench_large writes a profile of 10 million samples; profiles in FOLDER are copied beside it, and one with
hostile names is made. Prints the first time of each tool on the large profile and the bar of 200 ms; then the times of many requests
of all tools on all profiles, of which most are new questions, of 100 at once on the small ones, and the memory of the server before and
after; its children, which make answers of the large profile ahead, need as much as the command does and are not counted.
"""
import argparse
import asyncio
import glob
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

BAR = 0.2
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e", "support"))


def questions(profile):
    both = {"base": [profile], "head": [profile]}
    one = [("top", {}), ("top", {"by": "module"}), ("tree", {}), ("callers", {"function": "#1"}), ("lines", {}), ("annotate", {"kernel": "#g1"}),
           ("timeline", {"range": "1s..2s"}), ("timeline", {}), ("findings", {}), ("findings", {"id": "F1"}), ("quality", {})]
    one += [("analyze", {"analysis": "A%d" % i}) for i in range(1, 16)]
    return [(tool, dict(arguments, profile=profile)) for tool, arguments in one] + [("diff", both)]


def children():
    with open("/proc/self/task/%d/children" % os.getpid()) as file:
        return [int(pid) for pid in file.read().split()]


def memory_mb(pid):
    with open("/proc/%d/status" % pid) as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


async def ask(session, tool, arguments):
    start = time.monotonic()
    answer = await session.call_tool(tool, arguments)
    assert len(answer.content[0].text) <= arguments.get("max_bytes", 20_000)
    return time.monotonic() - start, answer


def is_error(answer):
    return answer.is_error if hasattr(answer, "is_error") else answer.isError


async def measure(options, folder):
    server = StdioServerParameters(command=os.path.abspath(options.gprofx), args=["mcp", folder])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        pid = children()[0]
        print("tools:", len((await session.list_tools()).tools), " memory at the start: %.0f MB" % memory_mb(pid))
        for number, (tool, arguments) in enumerate(questions("large.gprofx")):
            if number == 1:
                await asyncio.sleep(options.pause)
            seconds, answer = await ask(session, tool, arguments)
            shown = {name: value for name, value in arguments.items() if name in ("by", "id", "range", "analysis")}
            print("%-10s %-24s %7.1f ms%s%s" % (tool, shown or "", seconds * 1000, "" if seconds <= BAR else "  over the bar",
                                              "  (no answer: %s)" % answer.content[0].text[:60] if is_error(answer) else ""))
        names = sorted(os.path.basename(path) for path in glob.glob(folder + "/*.gprofx"))
        chance = random.Random(6)
        small = [question for name in names if name != "large.gprofx" for question in questions(name)]
        large = questions("large.gprofx")
        times, memory, errors = [], [], 0
        print("profiles:", ", ".join(names))
        for i in range(options.requests):
            tool, arguments = chance.choice(large if i % 10 == 0 else small)
            # Nine of ten are new questions, so that most are not answered from those that are kept.
            size = 20_000 if i % 10 == 9 else chance.randrange(4_000, 20_001)
            seconds, answer = await ask(session, tool, dict(arguments, max_bytes=size))
            times.append(seconds)
            errors += is_error(answer)
            if i % max(1, options.requests // 10) == 0:
                memory.append(memory_mb(pid))
        memory.append(memory_mb(pid))
        times.sort()
        print("%d requests: median %.1f ms, p99 %.1f ms, most %.1f ms; %d tool errors" % (
            len(times), statistics.median(times) * 1000, times[int(len(times) * 0.99)] * 1000, times[-1] * 1000, errors))
        print("memory, MB:", " ".join("%.0f" % value for value in memory))
        start = time.monotonic()
        many = [chance.choice(small) for _ in range(100)]
        answers = await asyncio.gather(*(ask(session, tool, dict(a, max_bytes=4000 + i)) for i, (tool, a) in enumerate(many)))
        print("100 at once: %.2f s, %d answers, memory %.0f MB" % (time.monotonic() - start, len(answers), memory_mb(pid)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--large", required=True, help="the program bench_large")
    parser.add_argument("--folder", help="more profiles")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--pause", type=float, default=2, help="seconds in which the first answer is read; others follow at once")
    options = parser.parse_args()
    os.environ["GPROFX"] = os.path.abspath(options.gprofx)
    from mcp_support import HOSTILE, write_profile
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([options.large, folder + "/large.gprofx"], check=True, stdout=subprocess.DEVNULL)
        for path in glob.glob(os.path.join(options.folder, "*.gprofx")) if options.folder else []:
            shutil.copy(path, folder)
        write_profile(folder + "/hostile.gprofx", HOSTILE)
        write_profile(folder + "/plain.gprofx", ["work_%d (run.py:%d)" % (i, i) for i in range(2000)])
        asyncio.run(measure(options, folder))


if __name__ == "__main__":
    main()
