"""Measures kernels on a GPU: the parts of benchmarks/gpu/run.

Nothing here needs more than a CUDA driver (or the emulator's library of that
interface), Python and NumPy.
"""
