"""Number formats that NumPy lacks, and distances between numbers."""

import numpy as np


def ulps(got, want):
    """How far each `got` is from the number of its type nearest to `want` (of a wider
    type), in units of the last place, which is how the CUDA programming guide states
    errors. Equal infinities and two NaNs are 0 apart."""
    got, want = np.asarray(got), np.asarray(want)
    info = np.finfo(got.dtype)
    with np.errstate(all="ignore"):
        nearest = want.astype(got.dtype)
        scaled = np.where(np.isfinite(nearest) & (nearest != 0), nearest, 1)
        exponent = np.maximum(np.frexp(scaled)[1] - 1, info.minexp) - info.nmant
        apart = np.abs(got.astype(want.dtype) - nearest.astype(want.dtype))
        distance = np.ldexp(apart, -exponent)
    same = (got == nearest) | (np.isnan(got) & np.isnan(nearest))
    return np.where(same, 0, distance).astype(np.float64)


def round_bits(values, dropped):
    """f32 values without the last `dropped` bits of their significands, rounded to
    nearest even: bf16 drops 16."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    odd = (bits >> np.uint64(dropped)) & np.uint64(1)
    bits += np.uint64((1 << (dropped - 1)) - 1) + odd
    bits &= np.uint64(0xFFFFFFFF ^ ((1 << dropped) - 1))
    return bits.astype(np.uint32).view(np.float32).reshape(np.shape(values))


def to_bf16(values):
    """The 16 bits of each value, rounded to nearest even."""
    rounded = round_bits(values, 16)
    return (np.ascontiguousarray(rounded).view(np.uint32) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)


def round_toward(values, direction):
    """f64 values as f32, rounded to nearest even (rn), to zero (rz), up (rp) or
    down (rm)."""
    values = np.asarray(values, np.float64)
    with np.errstate(over="ignore"):
        nearest = values.astype(np.float32)
    wide = nearest.astype(np.float64)
    up = np.nextafter(nearest, np.float32(np.inf))
    down = np.nextafter(nearest, np.float32(-np.inf))
    if direction == "rp":
        return np.where(wide < values, up, nearest)
    if direction == "rm":
        return np.where(wide > values, down, nearest)
    if direction == "rz":
        toward = np.where(values > 0, down, up)
        return np.where(np.abs(wide) > np.abs(values), toward, nearest)
    return nearest
