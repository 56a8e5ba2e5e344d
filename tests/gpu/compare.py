"""Pure helpers of the GPU suite: shares, names, multisets of lines, the tables of ncu."""
import csv
import io
import re

STALL_COLUMN = re.compile(r"(?:pcsamp_warps_issue_stalled|average_warps_issue_stalled|average_warp_latency_issue_stalled)_(\w+?)"
                          r"(?:_not_issued)?(?:_per_warp_active|_per_issue_active)?(?:\.\w+)?$")
CLASSES = {"memory": ("long_scoreboard", "lg_throttle", "tex_throttle", "drain"), "shared": ("short_scoreboard", "mio_throttle"),
           "sync": ("barrier", "membar", "warpgroup_arrive"),
           "compute": ("math_pipe_throttle", "math_pipe", "wait", "dispatch_stall", "dispatch", "gmma"),
           "frontend": ("no_instructions", "no_instruction", "branch_resolving", "imc_miss"), "issue": ("selected", "not_selected")}
NO_STALL = ("selected",)


def shares(sums):
    whole = sum(sums.values())
    return {name: 100.0 * value / whole for name, value in sums.items()} if whole else {}


def worst_difference(left, right, names):
    """(points, name) of the largest difference of two tables of shares."""
    return max(((abs(left.get(n, 0.0) - right.get(n, 0.0)), n) for n in names), default=(0.0, ""))


def largest(sums, count):
    return sorted(sums, key=lambda n: -sums[n])[:count]


def estimates(exact, estimated):
    """Rows of two reports by name: (those with another number of calls, by more than 1 %, in words; within 3 %, inside the interval of
    the estimate, worst difference of the time)."""
    off_calls = []
    near = inside = 0
    worst = 0.0
    for name, row in exact.items():
        other = estimated.get(name, {"self": 0, "calls": 0})
        off = abs(other["self"] / max(1, row["self"]) - 1)
        worst = max(worst, off)
        if abs(other["calls"] - row["calls"]) > 0.01 * row["calls"]:
            off_calls.append("%d calls instead of %d of %s" % (other["calls"], row["calls"], name[:60]))
        near += off <= 0.03
        inside += abs(other["self"] - row["self"]) <= 1.96 * other.get("stderr_ns", 0) or off == 0
    return off_calls, near, inside, worst


def base_name(kernel):
    """A kernel's name without return type, arguments and namespaces: what two demanglers agree on."""
    name = re.sub(r"^void\s+", "", kernel.strip()).replace("(anonymous namespace)::", "").replace("<unnamed>::", "")
    return re.split(r"[<(\s]", name, maxsplit=1)[0].rpartition("::")[2]


def class_of(reason):
    reason = short_reason(reason)
    return next((c for c, names in CLASSES.items() if reason in names), "other")


def short_reason(reason):
    reason = re.sub(r"^.*issue_stalled_", "", reason)
    return re.sub(r"_not_issued$", "", reason)


def leading(sums, without=NO_STALL):
    """The largest entry; "" when all are 0."""
    rest = {n: v for n, v in sums.items() if short_reason(n) not in without}
    best = max(rest, key=lambda n: rest[n], default="")
    return best if best and rest[best] > 0 else ""


def reason_sums(sums):
    """Samples by short reason; those in which nothing issued are part of the others and not added again."""
    result = {}
    for name, value in sums.items():
        if not name.endswith("_not_issued"):
            key = short_reason(name)
            result[key] = result.get(key, 0) + value
    return result


def ends_like(path, other):
    """Whether one path is the end of the other, by whole components: PyTorch shortens paths."""
    a, b = path.replace("\\", "/").split("/"), other.replace("\\", "/").split("/")
    n = min(len(a), len(b))
    return bool(path) == bool(other) and a[-n:] == b[-n:]


def same_place(theirs, ours):
    """theirs: (file, line, function) with line 0 = only the function is known; ours: (file, line, qualified name)."""
    if not theirs[0] or not ours[0]:
        return not theirs[0] and not ours[0]
    if not ends_like(theirs[0], ours[0]):
        return False
    return theirs[1] == ours[1] if theirs[1] else theirs[2] == ours[2].rpartition(".")[2]


def match_lines(theirs, ours):
    """How many launches agree. theirs: {(kernel, file, line, function): n}; ours: [(kernel, file, line, name, n)].

    Exact lines are matched before those of which only the function is known, so that these cannot take their place.
    """
    left = [[base_name(k), (f, l, n), c] for k, f, l, n, c in ours]
    matched, missing = 0, []
    for (kernel, *place), count in sorted(theirs.items(), key=lambda item: item[0][2] == 0):
        for row in left:
            if count and row[2] and (not kernel or base_name(kernel) == row[0]) and same_place(place, row[1]):
                taken = min(count, row[2])
                row[2] -= taken
                count -= taken
                matched += taken
        if count:
            missing.append((count, kernel, *place))
    return matched, missing, [r for r in left if r[2]]


def ncu_reasons(text):
    """{kernel: {reason: value}} of `ncu --csv --page raw`: source counters where they are, else the averages per warp."""
    begin = next((m.start() for m in re.finditer(r'^"ID"', text, re.M)), None)
    if begin is None:
        return {}
    result = {}
    for row in csv.DictReader(io.StringIO(text[begin:])):
        name = base_name(row.get("Kernel Name") or "")
        counted, averaged = {}, {}
        for column, value in row.items():
            found = STALL_COLUMN.search(column or "")
            if not found or "not_issued" in column:
                continue
            try:
                number = float((value or "").replace(",", ""))
            except ValueError:
                continue
            (counted if "pcsamp" in column else averaged)[found.group(1)] = number
        best = counted if any(counted.values()) else averaged
        if name and best:
            into = result.setdefault(name, {})
            for reason, number in best.items():
                into[reason] = into.get(reason, 0.0) + number
    return result
