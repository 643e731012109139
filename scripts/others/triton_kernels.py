"""Kernels in Triton's language, for triton-kernels.py: ours, none of Triton's own.

They use what Triton compiles for sm_90 into wgmma, bulk copies with tensor maps made
on the device and by the host, mbarriers, cp.async, shuffles and atomics."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, z, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = place < n
    tl.store(z + place, tl.load(x + place, mask) + tl.load(y + place, mask), mask)


@triton.jit
def softmax(x, z, rows, columns, BLOCK: tl.constexpr):
    """Persistent: each program takes rows a grid apart."""
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=3):
        place = tl.arange(0, BLOCK)
        mask = place < columns
        value = tl.load(x + row * columns + place, mask, other=-float("inf"))
        value = tl.exp(value - tl.max(value, 0))
        tl.store(z + row * columns + place, value / tl.sum(value, 0), mask)


@triton.jit
def layer_norm(x, scale, shift, z, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    place = tl.arange(0, BLOCK)
    mask = place < columns
    value = tl.load(x + row * columns + place, mask, other=0.0)
    mean = tl.sum(value, 0) / columns
    centred = tl.where(mask, value - mean, 0.0)
    deviation = tl.sqrt(tl.sum(centred * centred, 0) / columns + 1e-5)
    result = centred / deviation * tl.load(scale + place, mask) + tl.load(shift + place, mask)
    tl.store(z + row * columns + place, result, mask)


@triton.jit
def scan(x, z, n, BLOCK: tl.constexpr):
    place = tl.arange(0, BLOCK)
    value = tl.load(x + place, place < n, other=0)
    tl.store(z + place, tl.cumsum(value, 0), place < n)


@triton.jit
def histogram(x, z, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x + place, place < n, other=0), BINS, mask=place < n)
    tl.atomic_add(z + tl.arange(0, BINS), counts)


@triton.jit
def sort(x, z, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + place, tl.sort(tl.load(x + place)))


@triton.jit
def matmul(x, y, z, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Tiles by pointers and masks: cp.async, several stages."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    sums = tl.zeros((BM, BN), z.dtype.element_ty)
    for start in range(0, k, BK):
        step = start + tl.arange(0, BK)
        left = tl.load(
            x + row[:, None] * k + step[None, :],
            (row[:, None] < m) & (step[None, :] < k),
            other=0.0,
        )
        right = tl.load(
            y + step[:, None] * n + column[None, :],
            (step[:, None] < k) & (column[None, :] < n),
            other=0.0,
        )
        sums = tl.dot(left, right, sums, out_dtype=sums.dtype)
    mask = (row[:, None] < m) & (column[None, :] < n)
    tl.store(z + row[:, None] * n + column[None, :], sums, mask)


@triton.jit
def matmul_split(x, y, z, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The third axis of the grid splits the sums, which atomics put together."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    sums = tl.zeros((BM, BN), tl.float32)
    for start in range(tl.program_id(2) * BK, k, tl.num_programs(2) * BK):
        step = start + tl.arange(0, BK)
        left = tl.load(x + row[:, None] * k + step[None, :])
        right = tl.load(y + step[:, None] * n + column[None, :])
        sums = tl.dot(left, right, sums)
    tl.atomic_add(z + row[:, None] * n + column[None, :], sums)


@triton.jit
def matmul_device(x, y, z, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Tensor maps that the kernel makes."""
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    left = tl.make_tensor_descriptor(x, [m, k], [k, 1], [BM, BK])
    right = tl.make_tensor_descriptor(y, [k, n], [n, 1], [BK, BN])
    result = tl.make_tensor_descriptor(z, [m, n], [n, 1], [BM, BN])
    sums = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        sums = tl.dot(left.load([row, start]), right.load([start, column]), sums)
    result.store([row, column], sums.to(z.dtype.element_ty))


@triton.jit
def matmul_host(left, right, result, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Tensor maps of the host; the second factor is stored transposed."""
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        sums = tl.dot(left.load([row, start]), right.load([column, start]).T, sums)
    result.store([row, column], sums.to(result.dtype))


@triton.jit
def matmul_persistent(
    left, right, result, m, n, k,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    PROGRAMS: tl.constexpr, SPECIALIZED: tl.constexpr,
):  # fmt: skip
    """Each program takes tiles a grid apart, with tensor maps of the host."""
    columns = tl.cdiv(n, BN)
    tiles = tl.cdiv(m, BM) * columns
    for tile in tl.range(
        tl.program_id(0), tiles, PROGRAMS, flatten=not SPECIALIZED, warp_specialize=SPECIALIZED
    ):
        row, column = tile // columns * BM, tile % columns * BN
        sums = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            sums = tl.dot(left.load([row, start]), right.load([start, column]), sums)
        result.store([row, column], sums.to(result.dtype))


@triton.jit
def scatter_sum(left, z, BM: tl.constexpr, BN: tl.constexpr):
    """Adds tiles into one of them by a reducing bulk copy."""
    tile = left.load([tl.program_id(0) * BM, 0])
    target = tl.make_tensor_descriptor(z, [BM, BN], [BN, 1], [BM, BN])
    target.atomic_add([0, 0], tile)


@triton.jit
def attention(
    q, k, v, z, length, scale,
    HEAD: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    CAUSAL: tl.constexpr, SPECIALIZED: tl.constexpr,
):  # fmt: skip
    """One head after the other along axis 1, with a running maximum and sum."""
    head = tl.program_id(1) * length * HEAD
    first = tl.program_id(0) * BM
    queries = tl.make_tensor_descriptor(q + head, [length, HEAD], [HEAD, 1], [BM, HEAD])
    keys = tl.make_tensor_descriptor(k + head, [length, HEAD], [HEAD, 1], [BN, HEAD])
    values = tl.make_tensor_descriptor(v + head, [length, HEAD], [HEAD, 1], [BN, HEAD])
    row = first + tl.arange(0, BM)
    peak = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    sums = tl.zeros((BM, HEAD), tl.float32)
    query = queries.load([first, 0])
    end = first + BM if CAUSAL else length
    for start in tl.range(0, end, BN, warp_specialize=SPECIALIZED):
        score = tl.dot(query, keys.load([start, 0]).T) * (scale * 1.4426950408889634)
        if CAUSAL:
            column = start + tl.arange(0, BN)
            score = tl.where(row[:, None] >= column[None, :], score, -1e30)
        top = tl.maximum(peak, tl.max(score, 1))
        share = tl.exp2(score - top[:, None])
        decay = tl.exp2(peak - top)
        total = total * decay + tl.sum(share, 1)
        sums = sums * decay[:, None]
        sums = tl.dot(share.to(v.dtype.element_ty), values.load([start, 0]), sums)
        peak = top
    place = head + row[:, None] * HEAD + tl.arange(0, HEAD)[None, :]
    tl.store(z + place, sums / total[:, None])
