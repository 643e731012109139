"""Other ways to compute the same contractions. Each is optional: what is not on the
machine is listed as missing."""

from . import cublas, cupy_einsum, cutensor, torch_einsum, triton_matmul


def make_all(libraries):
    """All peers; `libraries` are paths of libraries that are not where they are
    looked for, by name."""
    return [
        *cublas.make(libraries),
        torch_einsum.TorchEinsum(),
        cupy_einsum.CupyEinsum(),
        triton_matmul.TritonMatmul(),
        *cutensor.make(libraries),
    ]
