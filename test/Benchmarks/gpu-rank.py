# RUN: env TC_BUILD=%tc_build TC_SOURCE=%tc_source PYTHONPATH=%S/Inputs %python %s
"""benchmarks/gpu/rank.py on times that are known."""

import contextlib
import io
import json
import os
import sys
import tempfile
import types
import unittest

import gpu_case  # noqa: F401  (it puts benchmarks/gpu on the path)
import rank


def make_table(predicted):
    """The compiler's schedule, and four others of each kind."""
    kinds = ["chosen"] + ["known"] * 4 + ["drawn"] * 4
    rows = [
        {
            "problem": "one",
            "dtype": "f32",
            "kind": kind,
            "variant": "search" if kind == "chosen" else f"{kind}-{i:02}",
            "schedule": f"schedule {i}",
            "predicted_us": predicted[i],
            "simulated_us": 2 * predicted[i],
        }
        for i, kind in enumerate(kinds)
    ]
    return {"commit": "abc", "rows": rows}


def make_run(table, times):
    def name(row):
        return "tc" if row["variant"] == "search" else f"tc-{row['variant']}"

    rows = [
        {
            "problem": "one",
            "dtype": "f32",
            "contender": name(row),
            "status": "right" if time else "wrong",
            "time_us": time,
        }
        for row, time in zip(table["rows"], times)
    ]
    head = {"format": "tc-measured", "version": 1, "device": "NVIDIA H200"}
    return head | {"started": "2026-11-26T00:00:00+00:00", "rows": rows}


class Rank(unittest.TestCase):
    def summarise(self, predicted, times):
        table = make_table(predicted)
        joined = rank.join(table, make_run(table, times))
        return rank.summarise_problem(*next(iter(joined.items())))

    def test_the_same_order_correlates(self):
        predicted = [3, 1, 2, 4, 5, 6, 7, 8, 9]
        row = self.summarise(predicted, [2.0 * time for time in predicted])
        self.assertEqual(row["rank_correlation_predicted"], 1)
        self.assertEqual(row["rank_correlation_predicted_known"], 1)
        self.assertEqual(row["measured_over_predicted"], 2)
        self.assertEqual(row["measured_over_simulated"], 1)
        self.assertEqual(row["rank_correlation_simulated_b"], "")  # was not asked for
        self.assertEqual((row["chosen_us"], row["least_us"]), (6, 2))
        self.assertEqual((row["chosen_over_least"], row["least_schedule"]), (3, "schedule 1"))

    def test_the_opposite_order_does_not(self):
        row = self.summarise([1, 1, 2, 3, 4, 5, 6, 7, 8], [9, 8, 7, 6, 5, 4, 3, 2, 1])
        self.assertEqual(row["rank_correlation_predicted"], -1)

    def test_what_is_wrong_has_no_time(self):
        row = self.summarise([1] * 9, [5, None, 4, 4, 4, 4, 4, 4, 4])
        self.assertEqual(row["schedules"], 7)
        self.assertIsNone(self.summarise([1] * 9, [None, 4, 4, 4, 4, 4, 4, 4, 4]))

    def test_tables_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            table = make_table(list(range(1, 10)))
            files = {"ranks.json": table, "run.json": make_run(table, list(range(1, 10)))}
            for name, content in files.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    json.dump(content, file)
            options = types.SimpleNamespace(
                bundle=folder,
                result=os.path.join(folder, "run.json"),
                output=os.path.join(folder, "ranks.csv"),
                schedules=os.path.join(folder, "schedules.csv"),
            )
            with contextlib.redirect_stdout(io.StringIO()) as out:
                self.assertEqual(rank.report(options), 0)
            self.assertIn("| chosen_over_least | 0.500 | 0.500 | 0.5 (one f32) |", out.getvalue())
            with open(options.schedules, encoding="utf-8") as file:
                lines = file.read().splitlines()
            self.assertIn("# device: NVIDIA H200", lines)
            self.assertIn("one,f32,known,2,4,,2,schedule 1", lines)
            self.assertEqual(len(lines), 4 + 1 + 9)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
