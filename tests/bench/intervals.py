"""Arithmetic of benches: from the steps of a program to ratios with intervals. Pure functions."""
import random
import statistics

FEWEST = 3  # ratios: below, there is no interval


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
    low, high = bootstrap(ratios) if len(ratios) >= FEWEST else (None, None)
    return {"ratio": statistics.median(ratios), "low": low, "high": high, "count": len(ratios)}


def verdict(found, bar, enough):
    """Whether the whole interval of a summary is at or below its bar (or within it, where the bar is a pair)."""
    if not found or bar is None:
        return ""
    if found["low"] is None or found["count"] < enough:
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
