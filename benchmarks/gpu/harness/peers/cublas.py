"""cuBLAS: products of matrices by SGEMM and DGEMM, by default and in the pedantic
mode. On chips with tensor units for f64, DGEMM may use them in either."""

import ctypes

from ..contenders import Contender, Missing, Prepared, Unsupported
from .libraries import get_function, open_library
from .matrices import find_product

_pointer, _int = ctypes.c_void_p, ctypes.c_int
_PEDANTIC = 2
_GEMM = {"f32": ("cublasSgemm_v2", ctypes.c_float), "f64": ("cublasDgemm_v2", ctypes.c_double)}


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
        name, scalar = _GEMM[problem.dtype]
        self.gemm = get_function(
            owner.library,
            name,
            _pointer,
            *5 * [_int],
            *[_pointer, _pointer, _int, _pointer, _int, _pointer, _pointer, _int],
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
                    b,
                    product.k if product.is_b_transposed else product.n,
                    a,
                    product.m if product.is_a_transposed else product.k,
                    ctypes.byref(zero),
                    buffers.output,
                    product.n,
                ]
            )

    def launch(self, index):
        if status := self.gemm(*self.calls[index]):
            raise Unsupported(f"cuBLAS returned {status}")
