"""Runs many contractions through `tc-run --batch` and prints what failed.

  cases.py reduced dividing|prime f32|f64     every contraction of the benchmarks,
                                              with small extents
  cases.py triples EXTENTS f32|f64            27 terms of them into one result
  cases.py doubles EXTENTS f32|f64            the 18 of these with sums

Before that: --tc-run=PROGRAM --source=REPOSITORY --folder=SCRATCH --chip=sm_NN.
The last line is `N verified, N failed`; the exit status is 1 if any failed.
"""

import argparse
import json
import os
import subprocess
import sys


def reduced_cases(source, kind, dtype):
    sys.path.insert(0, os.path.join(source, "benchmarks"))
    import problems  # the benchmarks' own module

    for problem in problems.load():
        yield {
            "case": problem["name"],
            "einsum": problem["einsum"],
            "sizes": problems.format_sizes(problems.reduce(problem, kind)),
            "dtype": dtype,
        }


def triples_cases(source, folder, kind, extents, dtype):
    """Terms of the benchmarks into one result, as one program: all of sd1, sd2 and s1, or
    those with sums.

    `extents` are those of the six places of the result, and the contracted one.
    """
    sys.path.insert(0, os.path.join(source, "benchmarks"))
    import triples

    *places, contracted = map(int, extents.split(","))
    terms = triples.choose(triples.DOUBLES if kind == "doubles" else triples.ALL)
    path = os.path.join(folder, f"{kind}.mlir")
    triples.write(path, terms, places, contracted, dtype)
    yield {"case": f"triples of {len(terms)} terms", "input": path}


def run(options, cases):
    """The lines of tc-run as dictionaries."""
    path = os.path.join(options.folder, "cases.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for case in cases:
            file.write(json.dumps(case) + "\n")
    command = [options.tc_run, f"--batch={path}", f"--chip={options.chip}"]
    command += [f"--device={options.device}", "--verify"]
    process = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return [json.loads(line) for line in process.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tc-run", default="tc-run")
    parser.add_argument("--source", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--device", default="emulator")
    parser.add_argument("what", choices=["reduced", "triples", "doubles"])
    parser.add_argument("arguments", nargs=2)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    if options.what == "reduced":
        cases = list(reduced_cases(options.source, *options.arguments))
    else:
        cases = list(
            triples_cases(options.source, options.folder, options.what, *options.arguments)
        )

    results = run(options, cases)
    failed = [result for result in results if "error" in result]
    for result in failed:
        print(f"FAILED {result['case']}\n  {result['problem']}\n  {result['error']}")
    verified = sum(
        result.get("report", {}).get("verified") is True
        for result in results
        if "error" not in result
    )
    if verified + len(failed) != len(cases):
        print(f"FAILED {len(cases) - verified - len(failed)} cases have no result")
    print(f"{verified} verified, {len(cases) - verified} failed")
    return verified != len(cases)


if __name__ == "__main__":
    sys.exit(main())
