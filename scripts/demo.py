#!/usr/bin/env python3
"""What scripts/demo.sh built, verified and expects, in a few lines.

usage: demo.py REPORT.json VERDICT.txt FILE...
"""

import json
import sys


def main():
    report_path, verdict_path, *files = sys.argv[1:]
    with open(report_path, encoding="utf-8") as file:
        report = json.load(file)
    with open(verdict_path, encoding="utf-8") as file:
        verdict = file.read().splitlines()
    kernel, predicted = report["kernels"][0], report["predicted"][0]
    blocks = " x ".join(str(extent) for extent in kernel["grid"] if extent > 1)
    threads = " x ".join(str(extent) for extent in kernel["block"] if extent > 1)
    lines = [f"chip      {report['chip']}", f"schedule  {report['schedule']}"]
    lines.append(f"kernel    {kernel['kernel']}: {blocks} blocks of {threads} threads")
    if kernel["registers"] is not None:  # there is a ptxas
        lines.append(
            f"          {kernel['registers']} registers, {kernel['spill_bytes']} bytes spilled, "
            f"{kernel['shared_bytes']} bytes of shared memory, occupancy {kernel['occupancy']:.2f}"
        )
    lines.append(f"built     {', '.join(files)} in {report['compile_ms']['total']:.0f} ms")
    lines.append(
        f"expected  {predicted['seconds'] * 1e6:.1f} us (predicted), and no less than "
        f"{predicted['bound_seconds'] * 1e6:.1f} us, limited by {predicted['limiter']}"
    )
    lines.append(f"on the emulator, at reduced extents: {verdict[-1]}")
    lines.append(f"report    {report_path}")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
