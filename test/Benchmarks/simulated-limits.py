# RUN: env PYTHONPATH=%S/../../benchmarks %python %s
"""The errors of simulated time: the table that is kept is within its limits, and what is
worse is a fault."""

import csv
import json
import unittest

import simulated

TABLE = simulated.HERE / "results/simulated.csv"


class Limits(unittest.TestCase):
    def setUp(self):
        with open(TABLE, newline="", encoding="utf-8") as file:
            self.rows = list(csv.DictReader(file))
        self.limits = json.loads(simulated.LIMITS.read_text(encoding="utf-8"))

    def test_the_table_is_within_them(self):
        self.assertEqual(simulated.check(self.rows, self.limits), [])
        self.assertEqual(set(self.limits), set(simulated.group(self.rows)))

    def test_a_larger_error_is_a_fault(self):
        for row in self.rows:
            if row["chip"] == "V100":
                row["level_a_us"] = str(2 * float(row["level_a_us"]))
        (fault,) = simulated.check(self.rows, self.limits)
        self.assertIn("V100 TCCG: expected level_a_us off by at most", fault)

    def test_a_worse_order_is_a_fault(self):
        rows = [r for r in self.rows if r["kernel"].endswith("/1024")]
        times = sorted(float(row["measured_us"]) for row in rows)
        # The errors do not count here.
        limits = {"SGEMM 1024": self.limits["SGEMM 1024"]}
        limits["SGEMM 1024"]["simulated_us"]["error"] = 1e9
        for row in rows:
            rank = times.index(float(row["measured_us"]))
            row["simulated_us"] = str(times[-1 - rank])
        (fault,) = simulated.check(rows, limits)
        self.assertIn("SGEMM 1024: expected simulated_us in an order of at least", fault)

    def test_points_that_are_missing_are_a_fault(self):
        rows = [row for row in self.rows if row["kernel"] != "tccg_22"]
        faults = simulated.check(rows, self.limits)
        self.assertIn("P100 TCCG: expected 47 level_a_us, got 46", faults)
        self.assertEqual(len(faults), 4)


if __name__ == "__main__":
    unittest.main()
