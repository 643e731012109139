# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    d = 1234.56789
    text = p.output("formats", 1, 32, np.float64(d), np.uint64(0))
    lines = [
        "plain",
        "-5 7 3000000000 ff FF 10 z %",
        "-1 -1099511627776 18446744073709551615 0xabcdef -3",
        "[   42] [42   ] [00042] [+42] [007] [    42]",
        "%f %.2f %10.3e %g 1E-20 0x1p+0" % (d, d, d, d),
        "text [   right] [left    ] [cu]",
        "1 2 3 4 5 6 7 8 9 10",
        "",
    ]
    p.equal("text", np.array(text.split("\n")), np.array(lines))

    a = p.random.integers(-5, 5, 128, np.int32)
    text = p.output("threads", 2, 64, a)
    want = [
        f"thread {t % 64} of block {t // 64} has {a[t]}" for t in range(128) if a[t] > 0
    ]
    p.equal("lines", np.array(sorted(text.splitlines())), np.array(sorted(want)))

    out = p.empty(4, np.int32)
    p.output("result", 1, 4, out)
    p.equal("number of arguments", out, np.full(4, 2))
