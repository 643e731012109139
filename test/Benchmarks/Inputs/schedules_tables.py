"""Writes tables for benchmarks/schedules.py: schedules_tables.py TC-COMPILE FOLDER."""

import csv
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "benchmarks"))
import problems

program, folder = sys.argv[1:]


def choose(problem, dtype):
    """Today's schedule."""
    report = subprocess.run(
        [program, f"--einsum={problem['einsum']}", f"--dtype={dtype}"]
        + [f"--sizes={problems.format_sizes(problem['sizes'])}"]
        + ["--emit=tc", "-o", "/dev/null", "--report=json"],
        check=True,
        capture_output=True,
    )
    return json.loads(report.stdout)["schedule"]


chosen = {name: next(p for p in problems.load() if p["name"] == name) for name in ("s1_1", "mm_nn")}
first = chosen["s1_1"]["einsum"].partition("->")[2][0]
schedules = {
    "slow": ("s1_1", "f32", f"#tc.schedule<thread = [{first} = 8], kernel = fma>"),
    "same": ("s1_1", "f32", choose(chosen["s1_1"], "f32")),
    "tensor": ("mm_nn", "f64", choose(chosen["mm_nn"], "f64")),
    "refused": ("s1_1", "f32", f"#tc.schedule<thread = [{first} = 2048], kernel = fma>"),
}
for name, (problem, dtype, schedule) in schedules.items():
    with open(pathlib.Path(folder, f"{name}.csv"), "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("problem", "dtype", "schedule"), (problem, dtype, schedule)])
pathlib.Path(folder, "columns.csv").write_text("problem,dtype\ns1_1,f32\n", encoding="utf-8")
