"""The table of the zoo: a row of the fifteen analyses in short, for each model."""

COLUMNS = (("model", "model"), ("mode", "mode"), ("step_ms", "step ms"), ("busy", "GPU busy"), ("kernels", "kernels"), ("attributed", "in layers"),
           ("layers", "layers"), ("top_type", "most time in"), ("top_type_share", ""), ("top_kernel", "largest kernel"),
           ("top_kernel_share", ""), ("flop", "GFLOP"), ("bound", "bound"), ("finding", "first finding"), ("saving_ms", "saves ms"))
NARROW = 34


def first(rows, key="share"):
    """The row with the largest share, {} where none has one."""
    return max((row for row in rows if row.get(key)), key=lambda row: row[key], default={})


def attributed(notes):
    """The share of GPU time in layers, which a note of A3 tells: '98.2% of the GPU time lies in layers, ...'."""
    for note in notes:
        if "% of the GPU time lies in layers" in note:
            return float(note.split("%")[0]) / 100
    return None


def short_kernel(name):
    """'void at::native::vectorized_kernel<4, ...>(...)' -> 'vectorized_kernel'."""
    return name.replace("(anonymous namespace)::", "").split("<")[0].split("(")[0].split("::")[-1].replace("void ", "")


def row_of(facts, report, size):
    tables = {a["name"]: a for a in report["analyses"]}
    rows = {name: a["rows"] for name, a in tables.items()}
    model, whole = (rows["A1"] or [{}])[0], (rows["A15"] or [{}])[0]
    top_type, top_kernel = first(rows["A6"]), first(rows["A10"])
    roofs = [row for row in rows["A9"] if row.get("bound")]
    findings = [row for part in report["findings"] for row in part["rows"]]
    row = dict(facts, bytes=size, recorded_step_ns=model.get("step_ns"), kernels=whole.get("kernels"), busy=whole.get("busy_share"),
               layers=len(rows["A2"]), attributed=attributed(tables["A3"]["notes"]), degraded=tables["A3"].get("degraded", False),
               top_type=top_type.get("type"), top_type_share=top_type.get("share"), flop=whole.get("flop"),
               top_kernel=short_kernel(top_kernel.get("kernel", "")), top_kernel_share=top_kernel.get("share"),
               bound=first(roofs, "gpu_ns").get("bound"), findings=len(findings))
    row["reasons"] = {name: a["reason"] for name, a in tables.items() if a.get("reason")}
    row["operators"] = [(r["layer"], r["share"]) for r in sorted(rows["A11"], key=lambda r: -(r["share"] or 0))[:5]]
    if findings:
        best = findings[0]
        row["finding"], row["saving_ms"] = best.get("rule") or best.get("id"), (best.get("saving_ns") or 0) / 1e6
    return row


def cell(key, value):
    if value is None:
        return "-"
    if key in ("busy", "attributed") or key.endswith("_share"):
        return "%.1f%%" % (100 * value)
    if key in ("step_ms", "saving_ms"):
        return "%.2f" % value
    if key == "flop":
        return "%.1f" % (value / 1e9)
    return str(value)[:NARROW]


def table_text(rows):
    good = [row for row in rows if "error" not in row]
    lines = ["| " + " | ".join(title for _, title in COLUMNS) + " |", "|" + " --- |" * len(COLUMNS)]
    for row in good:
        lines.append("| " + " | ".join(cell(key, row.get(key)) for key, _ in COLUMNS) + " |")
    lines.append("")
    with_share = [row["attributed"] for row in good if row.get("attributed") is not None]
    if with_share:
        lines.append("%d of %d recordings; in layers: median %.1f%%, least %.1f%%, 95%% or more in %d." % (
            len(good), len(rows), 100 * sorted(with_share)[len(with_share) // 2], 100 * min(with_share), sum(s >= 0.95 for s in with_share)))
    lines += ["%s, %s: %s" % (row["model"], row["mode"], row["error"]) for row in rows if "error" in row]
    return "\n".join(lines) + "\n"
