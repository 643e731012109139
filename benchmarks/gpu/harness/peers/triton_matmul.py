"""A product of matrices in Triton, tuned over some tiles, in full f32 or in f64."""

from ..contenders import Contender, Missing, Prepared, Unsupported
from .arrays import make_inputs, make_output
from .matrices import find_product


class TritonMatmul(Contender):
    name = "triton-matmul"

    def find(self, driver):
        try:
            import torch
            import triton
        except ImportError as error:
            raise Missing(str(error)) from error
        if not torch.cuda.is_available():
            raise Missing("torch finds no device")
        torch.cuda.set_stream(torch.cuda.ExternalStream(driver.stream.value))
        from . import triton_kernel

        self.torch, self.kernel = torch, triton_kernel
        return triton.__version__

    def prepare(self, driver, problem, sets):
        return PreparedMatmul(self, problem, sets)


class PreparedMatmul(Prepared):
    def __init__(self, owner, problem, sets):
        super().__init__(sets)
        if problem.dtype not in ("f32", "f64"):
            raise Unsupported("is written for f32 and f64")
        product = find_product(problem)
        kernel, self.calls = owner.kernel, []
        as_tensor = owner.torch.as_tensor
        for buffers in sets:
            arrays = make_inputs(problem, buffers)
            a, b = (
                as_tensor(arrays[i], device="cuda") for i in (product.first, 1 - product.first)
            )
            c = as_tensor(make_output(problem, buffers), device="cuda")
            # Strides along m and k, k and n, m and n.
            strides = (
                *((1, product.m) if product.is_a_transposed else (product.k, 1)),
                *((1, product.k) if product.is_b_transposed else (product.n, 1)),
                *(product.n, 1),
            )
            self.calls.append((a, b, c, product.m, product.n, product.k, *strides))
        self.run = kernel.matmul
        try:
            self.run(*self.calls[0], problem.dtype)
        except Exception as error:  # Of whatever stage of its compiler.
            raise Unsupported(f"Triton: {type(error).__name__}: {error}") from error
        self.dtype = problem.dtype

    def launch(self, index):
        self.run(*self.calls[index], self.dtype)
