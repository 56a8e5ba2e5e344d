"""Arithmetic of bench_real.py: from the steps of a program to ratios with intervals. Pure functions.

The speed of a machine wanders by a third from second to second, so only neighbours are compared: windows of a level and of `off`
alternate as off L, L off, and each such pair gives one ratio of time per step. The median of the pairs is what is reported; its
95 % interval is that of medians of pairs drawn again with replacement. The two pairs of a quad share a drift with opposite
signs, which the drawing does not know: the interval is rather too wide than too narrow.
"""
import random
import statistics

OFF = "off"
FEWEST_PAIRS = 3  # below, there is no interval
COUNTED_PAIRS = 20  # below, a figure is shown and does not count


def read_log(text):
    """({request: (ns, steps before it)}, [ns of each step's begin]) of a log of programs/steps.py; a torn last line is left out."""
    marks, begins = {}, []
    for line in text.split("\n")[:-1]:
        words = line.split()
        if words[:1] == ["mark"]:
            marks[int(words[1])] = (int(words[2]), int(words[3]))
        elif words[:1] == ["step"]:
            begins.append(int(words[1]))
    return marks, begins


def time_per_step(marks, first, last):
    """Nanoseconds a step between two marks; None without a step."""
    if first not in marks or last not in marks:
        return None
    (begin, before), (end, after) = marks[first], marks[last]
    return (end - begin) / (after - before) if after > before else None


def median_step(begins, first_ns, last_ns):
    """Median nanoseconds from the begin of a step to the next, of steps that lie between two times in full."""
    inside = [b for b in begins if first_ns <= b <= last_ns]
    return statistics.median(b - a for a, b in zip(inside, inside[1:])) if len(inside) > 1 else None


def quads(levels, pairs):
    """(level compared, level of the window) in their order, four at a time: off L L off for each level in turn.

    pairs: {level: number of pairs}, of which odd ones are rounded up.
    """
    for turn in range(max(((pairs[level] + 1) // 2 for level in levels), default=0)):
        for level in levels:
            if turn < (pairs[level] + 1) // 2:
                yield from ((level, now) for now in (OFF, level, level, OFF))


def pair_ratios(windows):
    """{level: [ratio of each pair]} of [(level, ns a step)] in the order of quads(); pairs that miss a half are left out."""
    found = {}
    for (a, a_ns), (b, b_ns) in zip(windows[::2], windows[1::2]):
        if OFF in (a, b) and a != b and a_ns and b_ns:
            level, ratio = (b, b_ns / a_ns) if a == OFF else (a, a_ns / b_ns)
            found.setdefault(level, []).append(ratio)
    return found


def percentile(ordered, share):
    """Of a sorted list, linear between its members."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def bootstrap(values, rounds=2000, seed=1):
    """95 % interval of the median."""
    draw = random.Random(seed)
    medians = sorted(statistics.median(draw.choices(values, k=len(values))) for _ in range(rounds))
    return percentile(medians, 0.025), percentile(medians, 0.975)


def summary(ratios):
    """What is said of a list of ratios; None of an empty one. The interval is missing where there are too few."""
    if not ratios:
        return None
    ordered = sorted(ratios)
    low, high = bootstrap(ratios) if len(ratios) >= FEWEST_PAIRS else (None, None)
    return {"ratio": statistics.median(ratios), "low": low, "high": high, "pairs": len(ratios),
            "quarter": percentile(ordered, 0.25), "three_quarters": percentile(ordered, 0.75), "all": ratios}


def verdict(found, bar, enough=COUNTED_PAIRS):
    """Whether the whole interval of a summary is at or below its bar (or within it, where the bar is a pair)."""
    if not found or bar is None:
        return ""
    if found["low"] is None or found["pairs"] < enough:
        return "too few"
    lowest, highest = bar if isinstance(bar, tuple) else (0.0, bar)
    if lowest <= found["low"] and found["high"] <= highest:
        return "holds"
    return "misses" if found["low"] > highest or found["high"] < lowest else "unsure"


def holds_claim(claim, found):
    """Whether a recording's own interval has the ratio that was measured from outside; None where one of them is missing."""
    try:
        low, high = float(claim["low"]), float(claim["high"])
    except (KeyError, TypeError, ValueError):
        return None
    return low <= found["ratio"] <= high if found else None
