#!/usr/bin/env python3
"""Sets what the NumPy reference of LocVolCalib finds for the small data set against prices
that FinPar publishes for it (CalibVolDiff/Data/Small of its repository), which have six digits.

Usage: published_prices.py SOURCE
"""

import os
import sys

PUBLISHED = {0.005: 0.0251064, 0.01: 0.0235189, 0.014: 0.0222744, 0.015: 0.02199}


def main():
    sys.path.insert(0, os.path.join(sys.argv[1], "benchmarks"))
    import numpy as np
    from programs import finance

    sizes = finance.LOCVOLCALIB.full["small"] | {"outer": len(PUBLISHED)}
    arguments = finance.LOCVOLCALIB.make(sizes, seed=1)
    arguments["strikes"] = np.array(list(PUBLISHED))
    x, y = finance.find_start(sizes["num_x"], sizes["num_y"])
    prices = finance.solve_locvolcalib(**arguments)["values"][:, y, x]
    published = np.array(list(PUBLISHED.values()))
    error = np.max(np.abs(prices - published) / published)
    print(f"largest relative error against published prices: {error:.1e}")
    return 0 if error < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
