"""run.py --self-check: the suite itself, without a GPU and without gprof-x. Scripts compile, cases are consistent, helpers are
right, the CUDA programs (where they were built) say that there is no GPU."""
import glob
import os
import sqlite3
import struct
import sys
import tempfile

import compare
import processes
import streams
import suite
from gpu_profile import GpuProfile

HERE = os.path.dirname(os.path.abspath(__file__))
failures = []


def equal(found, wanted, what):
    if found != wanted:
        failures.append("%s: %r instead of %r" % (what, found, wanted))


def check_scripts(scripts):
    files = glob.glob(os.path.join(HERE, "*.py")) + glob.glob(os.path.join(scripts, "*.py"))
    files += glob.glob(os.path.join(HERE, "..", "bench", "bench_gpu.py"))
    for path in files:
        with open(path, "rb") as file:
            try:
                compile(file.read(), path, "exec")
            except SyntaxError as error:
                failures.append("%s: %s" % (path, error))
    return len(files)


def check_cases(options):
    names = [c.name for c in suite.CASES]
    equal(sorted(set(names)), sorted(names), "names of cases")
    for c in suite.CASES:
        if not c.about:
            failures.append("case %s says nothing about itself" % c.name)
    with open(os.path.join(HERE, "cases_torch.py")) as file, open(os.path.join(HERE, "cases_ends.py")) as other:
        text = file.read() + other.read()
    for script in set(compare.re.findall(r'script\("([\w.]+)"', text)):
        if not os.path.exists(os.path.join(options.scripts, script)):
            failures.append("a case uses %s, which is not there" % script)


def check_programs(folder):
    """Those that need a GPU end with 77 and one clear line where there is none."""
    programs = [p for p in sorted(glob.glob(os.path.join(folder, "*")))
                if os.access(p, os.X_OK) and "." not in os.path.basename(p)]
    if programs and suite.missing_gpu(sys.executable):
        for program in programs:
            ended = processes.run([program], 30)
            if os.path.basename(program) == "no_gpu_work":
                equal(ended.status, 6, "status of no_gpu_work")
            else:
                equal((ended.status, ended.err[:8], ended.out), (77, "no GPU: ", ""), "end of " + os.path.basename(program))
    return len(programs)


def check_names():
    equal(compare.base_name("void at::native::vectorized_elementwise_kernel<4, at::native::F<float>>(int, F)"),
          "vectorized_elementwise_kernel", "base name of a template")
    equal(compare.base_name("spin_10()"), "spin_10", "base name of a function")
    equal(compare.base_name("void at::native::(anonymous namespace)::softmax<float>(int)"), "softmax", "base name, anonymous")
    equal(compare.ends_like("torch/nn/modules/linear.py", "/usr/lib/python3/torch/nn/modules/linear.py"), True, "end of a path")
    equal(compare.ends_like("linear.py", "/a/nonlinear.py"), False, "end of a path, within a component")
    equal(compare.class_of("smsp__pcsamp_warps_issue_stalled_lg_throttle_not_issued"), "memory", "class of a reason")
    equal(compare.class_of("never_heard_of"), "other", "class of an unknown reason")
    exact = {"a": {"self": 100, "calls": 100}, "b": {"self": 100, "calls": 10}}
    estimated = {"a": {"self": 102, "calls": 101, "stderr_ns": 2}, "c": {"self": 1, "calls": 1}}
    equal(compare.estimates(exact, estimated), (["0 calls instead of 10 of b"], 1, 1, 1.0), "estimates beside what is exact")
    equal(compare.leading({"selected": 9, "wait": 5, "barrier": 4}), "wait", "leading reason")
    equal(compare.leading({"selected": 9}), "", "leading reason of none")
    equal(compare.reason_sums({"a_issue_stalled_wait": 5, "a_issue_stalled_wait_not_issued": 3}), {"wait": 5}, "sum of a reason")


def check_lines():
    ours = [("k<int>(int)", "/x/a.py", 7, "M.f", 3), ("void k<int>(int)", "/x/a.py", 9, "M.f", 2), ("k", "", 0, "", 1)]
    theirs = {("k", "a.py", 7, "f"): 3, ("k", "a.py", 0, "f"): 2, ("k", "", 0, ""): 1}
    equal(compare.match_lines(theirs, ours)[0], 6, "lines that agree")
    matched, missing, left = compare.match_lines({("k", "a.py", 8, "f"): 3}, ours)
    equal((matched, missing, len(left)), (0, [(3, "k", "a.py", 8, "f")], 3), "lines that do not agree")
    # A launch of which only the function is known must not take the place of one whose line is known.
    equal(compare.match_lines({("", "a.py", 0, "f"): 2, ("", "a.py", 7, "f"): 3}, ours)[0], 5, "exact lines first")
    shares = compare.shares({"a": 1, "b": 3})
    equal(shares, {"a": 25.0, "b": 75.0}, "shares")
    equal(compare.worst_difference(shares, {"a": 30.0, "b": 70.0, "c": 90.0}, "ab")[0], 5.0, "difference of shares")
    equal(compare.largest({"a": 1, "b": 3, "c": 2}, 2), ["b", "c"], "largest")


NCU = '''==PROF== Connected to process 12
"ID","Kernel Name","smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio","smsp__pcsamp_warps_issue_stalled_wait",\
"smsp__pcsamp_warps_issue_stalled_selected","smsp__pcsamp_warps_issue_stalled_wait_not_issued","smsp__pcsamp_sample_buffer_full"
"","","ratio","warp","warp","warp",""
"0","void fma<float>(float *)","2.5","1,200","400","900","0"
"1","void fma<float>(float *)","2.5","100","40","90","0"
"2","slow(int)","2.5","0","0","0","0"
'''


def check_ncu():
    found = compare.ncu_reasons(NCU)
    equal(found, {"fma": {"wait": 1300.0, "selected": 440.0}, "slow": {"barrier": 2.5}}, "reasons of ncu")
    equal(compare.ncu_reasons("==ERROR== no permission"), {}, "reasons of an ncu that failed")


def check_streams():
    equal(streams.varints(b"\x05\x80\x01"), [5, 128], "varints")
    equal(streams.numbers(b"\x05\x01\x02", 2), [-3, -4, -3], "zigzag differences")
    chunk = struct.pack("<IHH", 2, 1, 0) + struct.pack("<HHII", 2, 1, 2, 2) + b"\x07\x09"
    equal(streams.chunk_columns(chunk, lambda frame, size: frame), {2: [7, 9]}, "a chunk")
    for data in (chunk[:-1], chunk[:-2] + b"\x07\x80"):
        try:
            streams.chunk_columns(data, lambda frame, size: frame)
            failures.append("a damaged chunk was accepted")
        except (streams.Unreadable, struct.error):
            pass


def check_processes():
    ended = processes.run(["sh", "-c", "echo out; echo 'gprof-x: hello' >&2; echo err >&2; kill -TERM $$"], 10)
    equal((ended.status, ended.out, processes.own_lines(ended.err), processes.without_own_lines(ended.err)),
          (143, "out\n", "gprof-x: hello\n", "err\n"), "a program that was killed")
    ended = processes.run(["sh", "-c", "sleep 50 & sleep 50"], 0.5)
    equal((ended.status, ended.leftovers >= 1, ended.seconds < 5), (None, True, True), "a program that hangs")
    equal(processes.run(["sh", "-c", "sleep 50 & exit 3"], 10).leftovers, 1, "processes left behind")
    equal(processes.masked("at 0x7f12 line 3\n"), "at # line #", "masked text")
    equal(processes.run(["/nonexistent/program"], 5).status, 127, "a program that is not there")


# A profile of two kernels below Python: b.py:5 -> launch -> kernel k (2 launches, 60 ns, a line with 4 samples), and a memset.
PROFILE = """
CREATE TABLE meta(name, value); CREATE TABLE quality(name, value); CREATE TABLE string(id, text);
CREATE TABLE function(id, name, file); CREATE TABLE frame(id, kind, function, file, line);
CREATE TABLE node(id, parent, frame); CREATE TABLE metric(id, name); CREATE TABLE value(node, thread, metric, self);
CREATE TABLE chunk(id, stream, data); CREATE TABLE wall_part(id, name, ns);
INSERT INTO string VALUES (1, 'main'), (2, 'b.py'), (3, 'k(int)'), (4, 'k.cu'), (5, 'set device memory');
INSERT INTO function VALUES (1, 1, 2), (2, 3, 0), (3, 5, 0);
INSERT INTO frame VALUES (1, 0, 0, 0, 0), (2, 1, 1, 0, 5), (3, 9, 2, 0, 0), (4, 10, 2, 4, 8), (5, 12, 3, 0, 0);
INSERT INTO node VALUES (1, 0, 1), (2, 1, 2), (3, 2, 3), (4, 3, 4), (5, 2, 5), (6, 1, 3);
INSERT INTO metric VALUES (1, 'gpu'), (2, 'gpu_operations'), (3, 'gpu_samples'), (4, 'stall_memory');
INSERT INTO value VALUES (3, 1, 1, 60), (5, 1, 1, 7), (3, 1, 2, 2), (5, 1, 2, 1), (6, 2, 2, 1), (4, 1, 3, 4), (3, 1, 3, 1),
  (4, 1, 4, 4);
INSERT INTO quality VALUES ('gpu_pc_received', 9), ('gpu_pc_exact', 4), ('gpu_pc_proportional', 2), ('gpu_pc_unattributed', 3);
INSERT INTO meta VALUES ('complete', 'yes'); INSERT INTO wall_part VALUES (1, 'gpu.compute', 60);
"""


def check_profile():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "p.gprofx")
        db = sqlite3.connect(path)
        db.executescript(PROFILE)
        db.close()
        p = GpuProfile(path)
        equal(p.by_kernel("gpu"), {"k(int)": 60}, "time by kernel")
        equal(p.by_kernel("gpu_samples"), {"k(int)": 5}, "samples by kernel, lines included")
        equal(p.sampled_lines("k"), {("k.cu", 8): 4, ("", 0): 1}, "samples by line")
        equal((p.samples_through("k", ".cu"), p.samples_through("k", ".py")), (4, 0), "samples through a file")
        equal(p.operations(), {"kernel": 3, "copy": 0, "set": 1}, "operations")
        equal(p.without_path(), (1, 4), "operations without a path")
        equal(sorted(p.launch_lines()), [("k(int)", "", 0, "", 1), ("k(int)", "b.py", 5, "main", 2)], "Python lines")
        equal(p.stall_classes("k")["memory"], 4, "samples by class")
        equal(p.pc_accounts(), (9, 6, 3, 0), "accounts")
        equal(p.wall_parts(), [("gpu.compute", 60)], "wall parts")
        equal(p.recorded_ns() if streams.library() else 0, 0, "time of no records")
        p.close()


def main(options):
    scripts, programs = check_scripts(options.scripts), check_programs(options.programs)
    check_cases(options)
    for check in (check_names, check_lines, check_ncu, check_streams, check_processes, check_profile):
        check()
    for failure in failures:
        print(failure)
    print("%d scripts, %d CUDA programs, %d cases: %s" % (scripts, programs, len(suite.CASES),
                                                          "%d failures" % len(failures) if failures else "good"))
    return 1 if failures else 0
