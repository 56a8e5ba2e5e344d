"""The table of bench_real.py: a row for each program and level, with the bar that is set for it; as text and as JSON."""
import json
import os

import paired
from real_programs import COUNTED_RUNS

FORM = "%-30s %-15s %-28s %-24s %-28s %-8s %-9s %s"
HEAD = ("program, ms a step while off", "what", "paired ratio (95 %)", "half of pairs, pairs", "whole runs (range, runs)", "bar",
        "verdict", "0.1 had")


class Table:
    """Rows are printed as they come, too, so that a run that is stopped has said what it knew."""

    def __init__(self, facts):
        self.facts, self.rows, self.left_out, self.own = facts, [], [], []

    def row(self, program, what):
        for row in self.rows:
            if (row["program"], row["what"]) == (program.name, what):
                return row
        row = {"program": program.name, "about": program.about, "what": what, "step_ms": None, "paired": None, "whole": None,
               "bar": program.bars.get(what), "had": program.had if what == "auto" else None, "verdict": ""}
        self.rows.append(row)
        return row

    def paired(self, program, found, step_ns, claim):
        for what, summary in found.items():
            row = self.row(program, what)
            row["step_ms"] = step_ns / 1e6 if step_ns else None
            row["paired"], row["verdict"] = summary, paired.verdict(summary, row["bar"])
            print(text_of(row), flush=True)
        if claim:
            self.claims(program, [claim])

    def whole(self, program, what, summary):
        row = self.row(program, what)
        row["whole"] = summary
        if what == "off":
            row["verdict"] = paired.verdict(summary, row["bar"], COUNTED_RUNS)
        print(text_of(row), flush=True)

    def claims(self, program, claims):
        """What recordings said of their own cost; a later list, that of the default alone, replaces an earlier one."""
        if not claims:
            return
        found = self.row(program, "auto")["paired"]
        kept = [{**claim, "holds": paired.holds_claim(claim, found)} for claim in claims]
        self.own = [o for o in self.own if o["program"] != program.name] + [{"program": program.name, "claims": kept}]

    def leave_out(self, text):
        self.left_out.append(text)
        print(text, flush=True)

    def save(self, path):
        text = {**self.facts, "rows": self.rows, "own_cost": self.own, "left_out": self.left_out}
        with open(path + ".new", "w") as file:
            json.dump(text, file, indent=1)
        os.replace(path + ".new", path)

    def print(self):
        print("\n" + FORM % HEAD)
        for row in sorted(self.rows, key=lambda r: [q["program"] for q in self.rows].index(r["program"])):
            print(text_of(row))
        for own in self.own:
            print(claim_text(own))
        judged = [c["holds"] for o in self.own for c in o["claims"] if c["holds"] is not None]
        if judged:
            print("own cost as recorded holds the paired ratio: %d of %d (bar: 9 of 10)" % (sum(judged), len(judged)))
        if self.left_out:
            print("left out:\n  " + "\n  ".join(self.left_out))


def ratio_text(found):
    if not found:
        return "-"
    if found["low"] is None:
        return "%.3f" % found["ratio"]
    return "%.3f (%.3f to %.3f)" % (found["ratio"], found["low"], found["high"])


def range_text(found):
    return "%.3f (%.3f to %.3f), %d" % (found["ratio"], min(found["all"]), max(found["all"]), found["pairs"]) if found else "-"


def bar_text(bar):
    return "" if bar is None else "1 +- %.3f" % (bar[1] - 1) if isinstance(bar, tuple) else "<= %.2f" % bar


def text_of(row):
    name = row["program"] + (", %.2f" % row["step_ms"] if row["step_ms"] else "")
    found = row["paired"]
    half = "%.3f to %.3f, %d" % (found["quarter"], found["three_quarters"], found["pairs"]) if found else "-"
    return (FORM % (name, row["what"], ratio_text(found), half, range_text(row["whole"]), bar_text(row["bar"]), row["verdict"],
                    row["had"] or "")).rstrip()


def claim_text(own):
    texts = ["not measured" if c["ratio"] is None else
             "%.3f (%.3f to %.3f)%s" % (c["ratio"], c.get("low") or 0, c.get("high") or 0,
                                        {True: " holds", False: " misses", None: ""}[c["holds"]]) for c in own["claims"]]
    return "%s: own cost as recorded: %s" % (own["program"], "; ".join(texts))
