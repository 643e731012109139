"""The kernel of triton_matmul.py; importing it needs Triton."""

import triton
import triton.language as tl


def _config(m, n, k, warps, stages):
    tiles = {"TILE_M": m, "TILE_N": n, "TILE_K": k}
    return triton.Config(tiles, num_warps=warps, num_stages=stages)


_CONFIGS = [
    _config(128, 128, 16, 8, 3),
    _config(128, 64, 16, 4, 3),
    _config(64, 128, 16, 4, 3),
    _config(64, 64, 32, 4, 3),
    _config(128, 128, 32, 8, 2),
    _config(64, 64, 16, 4, 2),
]


@triton.autotune(configs=_CONFIGS, key=["m", "n", "k", "WIDE"])
@triton.jit
def _matmul(
    a,
    b,
    c,
    m,
    n,
    k,
    a_m,
    a_k,
    b_k,
    b_n,
    c_m,
    c_n,
    WIDE: tl.constexpr,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    columns = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)
    steps = tl.arange(0, TILE_K)
    a_places = a + rows[:, None] * a_m + steps[None, :] * a_k
    b_places = b + steps[:, None] * b_k + columns[None, :] * b_n
    kind = tl.float64 if WIDE else tl.float32
    total = tl.zeros((TILE_M, TILE_N), dtype=kind)
    for done in range(0, k, TILE_K):
        left = k - done
        a_tile = tl.load(
            a_places, mask=(rows[:, None] < m) & (steps[None, :] < left), other=0.0
        )
        b_tile = tl.load(
            b_places, mask=(steps[:, None] < left) & (columns[None, :] < n), other=0.0
        )
        total = tl.dot(a_tile, b_tile, total, input_precision="ieee", out_dtype=kind)
        a_places += TILE_K * a_k
        b_places += TILE_K * b_k
    places = c + rows[:, None] * c_m + columns[None, :] * c_n
    tl.store(places, total, mask=(rows[:, None] < m) & (columns[None, :] < n))


def matmul(a, b, c, m, n, k, a_m, a_k, b_k, b_n, c_m, c_n, dtype):
    """c[m, n] = a[m, k] b[k, n], each with its two strides."""

    def grid(tiles):
        return (triton.cdiv(m, tiles["TILE_M"]), triton.cdiv(n, tiles["TILE_N"]))

    strides = (a_m, a_k, b_k, b_n, c_m, c_n)
    _matmul[grid](a, b, c, m, n, k, *strides, WIDE=dtype == "f64")
