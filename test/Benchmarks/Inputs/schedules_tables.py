"""Writes tables for benchmarks/schedules.py: schedules_tables.py TC-COMPILE FOLDER."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "benchmarks"))
import problems

program, folder = sys.argv[1:]
problem = next(problem for problem in problems.load() if problem["name"] == "s1_1")
first = problem["einsum"].partition("->")[2][0]
report = subprocess.run(
    [program, f"--einsum={problem['einsum']}", f"--sizes={problems.format_sizes(problem['sizes'])}"]
    + ["--emit=tc", "-o", "/dev/null", "--report=json"],
    check=True,
    capture_output=True,
)
schedules = {
    "slow": f"#tc.schedule<thread = [{first} = 8], kernel = fma>",
    "same": json.loads(report.stdout)["schedule"],
    "refused": f"#tc.schedule<thread = [{first} = 2048], kernel = fma>",
}
for name, schedule in schedules.items():
    text = f'problem,dtype,schedule\ns1_1,f32,"{schedule}"\n'
    pathlib.Path(folder, f"{name}.csv").write_text(text, encoding="utf-8")
pathlib.Path(folder, "columns.csv").write_text("problem,dtype\ns1_1,f32\n", encoding="utf-8")
