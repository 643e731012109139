"""cuBLAS: products of matrices by default and in the pedantic mode. On chips with tensor units
for f64, a product in f64 may use them in either. Where tc may use narrower numbers, cuBLAS
multiplies in f32."""

import ctypes

from ..contenders import Contender, Missing, Prepared, Unsupported
from .libraries import get_function, open_library
from .matrices import find_product

_pointer, _int = ctypes.c_void_p, ctypes.c_int
_PEDANTIC = 2
_TYPES = {  # cudaDataType_t, cublasComputeType_t, scalar
    "f32": (0, 68, ctypes.c_float),
    "f64": (1, 70, ctypes.c_double),
    "f16": (2, 68, ctypes.c_float),
    "bf16": (14, 68, ctypes.c_float),
}
_ALGORITHM_DEFAULT = -1


def make(libraries):
    return [
        Cublas("cublas", None, libraries),
        Cublas("cublas-pedantic", _PEDANTIC, libraries),
    ]


class Cublas(Contender):
    """One handle in one mode."""

    def __init__(self, name, mode, libraries):
        self.name, self.mode, self.libraries = name, mode, libraries

    def find(self, driver):
        self.library = open_library("cublas", self.libraries)
        self.handle = _pointer()
        create = get_function(self.library, "cublasCreate_v2", _pointer)
        if status := create(ctypes.byref(self.handle)):
            raise Missing(f"cublasCreate returned {status}")
        self._call("cublasSetStream_v2", [_pointer, _pointer], self.handle, driver.stream)
        if self.mode is not None:
            self._call("cublasSetMathMode", [_pointer, _int], self.handle, self.mode)
        version = _int()
        self._call("cublasGetVersion_v2", [_pointer, _pointer], self.handle, ctypes.byref(version))
        return str(version.value)

    def _call(self, name, types, *arguments):
        if status := get_function(self.library, name, *types)(*arguments):
            raise Missing(f"{name} returned {status}")

    def prepare(self, driver, problem, sets):
        return PreparedGemm(self, problem, sets)


class PreparedGemm(Prepared):
    """cuBLAS counts columns first, so it is asked for the transposed product."""

    def __init__(self, owner, problem, sets):
        super().__init__(sets)
        product = find_product(problem)
        kind, compute, scalar = _TYPES[problem.arithmetic.storage]
        self.gemm = get_function(
            owner.library,
            "cublasGemmEx",
            *[_pointer, *5 * [_int], _pointer],
            *2 * [_pointer, _int, _int],
            *[_pointer, _pointer, _int, _int, _int, _int],
        )
        one, zero = scalar(1), scalar(0)
        self.calls = []
        for buffers in sets:
            a, b = (buffers.inputs[i] for i in (product.first, 1 - product.first))
            self.calls.append(
                [
                    owner.handle,
                    int(product.is_b_transposed),
                    int(product.is_a_transposed),
                    product.n,
                    product.m,
                    product.k,
                    ctypes.byref(one),
                    *(b, kind, product.k if product.is_b_transposed else product.n),
                    *(a, kind, product.m if product.is_a_transposed else product.k),
                    ctypes.byref(zero),
                    *(buffers.output, kind, product.n),
                    *(compute, _ALGORITHM_DEFAULT),
                ]
            )

    def launch(self, index):
        if status := self.gemm(*self.calls[index]):
            raise Unsupported(f"cuBLAS returned {status}")
