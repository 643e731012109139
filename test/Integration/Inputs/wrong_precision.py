"""Runs benchmarks/accuracy.py with products of one precision where another is asked for."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "benchmarks"))
import accuracy  # noqa: E402  (the path comes first)

right = accuracy.run
accuracy.run = lambda tool, chip, form, *rest: right(tool, chip, "tf32x3", *rest)
sys.argv[1:] = [f"--build={sys.argv[1]}", "--terms=1", "--chips=sm_90a", "--precisions=bf16x9"]
sys.exit(accuracy.main())
