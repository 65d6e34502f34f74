#!/usr/bin/env python3
"""Makes check.sh's report: report.py LOGS FILE reads the steps' logs, writes FILE as JSON and
prints a summary. The exit status is 1 if a step failed."""
import json
import pathlib
import re
import sys

logs, target = pathlib.Path(sys.argv[1]), sys.argv[2]
steps, lines = [], []
for row in (logs / "steps").read_text().splitlines():
    name, code, seconds, log = row.split("\t")
    text = pathlib.Path(log).read_text(errors="replace")
    steps.append({"step": name, "ok": code == "0", "exit": int(code), "seconds": int(seconds)})
    if code != "0":
        steps[-1]["end_of_log"] = text[-2000:]
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                lines.append(json.loads(line))
            except ValueError:
                steps[-1].update(ok=False, not_json=line)
        elif found := re.match(r"(Benchmark\S+)\s+\d+\s+(.*)", line):
            numbers = re.findall(r"([\d.e+]+) (\S+)", found[2])
            lines.append({"benchmark": found[1], **{unit: float(value) for value, unit in numbers}})
report = {
    "gpu": (logs / "gpu").read_text().strip(),
    "steps": steps,
    "peaks": [x for x in lines if "peak" in x],
    "engine": [x for x in lines if "benchmark" in x],
    "peers": [x for x in lines if "peer" in x],
    "experiments": [x for x in lines if "What" in x],
    "commands": [x for x in lines if "cell" in x],
}
pathlib.Path(target).write_text(json.dumps(report, indent=1) + "\n")

print("== summary:", report["gpu"])
peak = {}
for x in report["peaks"]:
    peak[x["peak"]] = max(peak.get(x["peak"], 0), x["tflops"])
for kind, value in peak.items():
    print(f"peak of {kind}: {value:.1f} TFLOP/s")


def speed(name, rate, tflops, kind="float32"):
    part = f", {100 * tflops / peak[kind]:.0f} % of the {kind} peak" if peak.get(kind) else ""
    print(f"{name:70} {rate:14,.0f}/s {tflops:8.2f} TFLOP/s{part}")


for x in report["engine"]:
    if "problems/s" in x:
        speed(x["benchmark"], x["problems/s"], x.get("TFLOP/s", 0))
for x in report["peers"]:
    if "per_second" in x:
        speed(f"{x['peer']} K={x['k']}", x["per_second"], x["tflops"], "TF32" if "TF32" in x["peer"] else "float32")
    else:
        print(x["peer"], x.get("skipped") or x.get("failed"))
for x in report["experiments"]:
    print(f"{x['What']}: {x['Seconds']:.2f} s (again: {x.get('AgainSeconds', 0):.2f} s) for {x['Pairs']} distances and {x['Groups']} barycenters; largest relative difference "
          f"from the CPU {x['LargestDifference']:.1e}; same bits twice: {x['SameBits']}")
for x in report["commands"]:
    print(f"{x['cell']}: {x['seconds']} s on {x['engine']}")
for x in lines:
    if "failed" in x and "peer" not in x:
        print("FAILED:", x["failed"])
failed = [x["step"] for x in steps if not x["ok"]]
for name in failed:
    print("FAILED:", name)
if not failed:
    print(f"all {len(steps)} steps passed")
sys.exit(bool(failed))
