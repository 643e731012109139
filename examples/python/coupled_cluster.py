# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See the LICENSE file for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linearised coupled-cluster doubles in spin orbitals, on made-up integrals.

    python3 coupled_cluster.py

i, j, k, l are occupied orbitals, a, b, c, d virtual ones. The residual of the
amplitudes T is one particle ladder, one hole ladder and four rings:

    R[ijab] = <ij||ab> + 1/2 sum_cd T[ijcd] <cd||ab> + 1/2 sum_kl <ij||kl> T[klab]
            + P(ij) P(ab) sum_kc T[ikac] <kb||cj>"""

import numpy as np
import tc

OCCUPIED, VIRTUAL = 8, 24


def make_integrals(rng):
    """<pq||rs>, antisymmetric in pq and in rs, with the blocks that are used."""
    count = OCCUPIED + VIRTUAL
    v = rng.standard_normal((count,) * 4) / count**2
    v = v - v.transpose(1, 0, 2, 3)
    v = v - v.transpose(0, 1, 3, 2)
    v = v + v.transpose(2, 3, 0, 1)
    o, u = slice(OCCUPIED), slice(OCCUPIED, None)
    return v[o, o, u, u].copy(), v[u, u, u, u].copy(), v[o, o, o, o].copy(), v[o, u, u, o].copy()


def permute(x):
    """P(ij) P(ab): antisymmetric in both pairs."""
    x = x - x.transpose(1, 0, 2, 3)
    return x - x.transpose(0, 1, 3, 2)


def residual(einsum, t, oovv, vvvv, oooo, ovvo):
    r = oovv + 0.5 * einsum("ijcd,cdab->ijab", t, vvvv)
    r += 0.5 * einsum("ijkl,klab->ijab", oooo, t)
    return r + permute(einsum("ikac,kbcj->ijab", t, ovvo))


def solve(einsum, integrals, denominators):
    """The correlation energy, and how many iterations it took."""
    t = integrals[0] / denominators
    for iteration in range(1, 51):
        update = residual(einsum, t, *integrals) / denominators
        change = np.abs(update - t).max()
        t = update
        if change < 1e-12:
            break
    return 0.25 * einsum("ijab,ijab->", integrals[0], t), iteration


def main():
    integrals = make_integrals(np.random.default_rng(1))
    occupied, virtual = np.linspace(-2, -1, OCCUPIED), np.linspace(1, 3, VIRTUAL)
    e = occupied[:, None] + occupied  # ij
    f = virtual[:, None] + virtual  # ab
    denominators = e[:, :, None, None] - f
    energy, iterations = solve(tc.einsum, integrals, denominators)
    expected, _ = solve(np.einsum, integrals, denominators)
    print(f"energy {energy:.9f} after {iterations} iterations")
    print(f"numpy.einsum agrees to 1e-12: {abs(energy - expected) < 1e-12}")


if __name__ == "__main__":
    main()
