# REQUIRES: slow, torch
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%tc_source/python TC_COMPILE=%tc_build/bin/tc-compile TC_CACHE_DIR=%t \
# RUN:   %torch_python %s
"""`tc.einsum` of PyTorch's tensors on the CPU, in types that NumPy does not have, too."""

import unittest

import tc
import torch
import torch.autograd.forward_ad as forward_ad
from torch._subclasses.fake_tensor import FakeTensorMode

A = torch.arange(12.0).reshape(3, 4)
B = torch.arange(20.0).reshape(4, 5)


class Tensors(unittest.TestCase):
    def check(self, dtype, **options):
        """Whole numbers, so all types have the same digits as far as they reach."""
        got = tc.einsum("ij,jk->ki", A.to(dtype), B.to(dtype), **options)
        self.assertEqual(got.dtype, dtype)
        wanted = (A @ B).T.to(torch.int64 if not dtype.is_floating_point else dtype).to(dtype)
        self.assertTrue(torch.equal(got, wanted), (got, wanted))

    def test_types(self):
        kinds = ("float32", "float64", "float16", "bfloat16", "complex64", "complex128", "bool")
        for name in kinds + ("int8", "int16", "int32", "int64", "uint8"):
            with self.subTest(name):
                self.check(getattr(torch, name))

    def test_mixed_types_are_those_of_numpy(self):
        for left, right, wanted in (
            ("bfloat16", "float32", "float32"),
            ("bfloat16", "float16", "float32"),
            ("bfloat16", "int8", "bfloat16"),
            ("int32", "float32", "float64"),
        ):
            got = tc.einsum("ij,jk", A.to(getattr(torch, left)), B.to(getattr(torch, right)))
            self.assertEqual(got.dtype, getattr(torch, wanted))
            self.assertTrue(torch.equal(got, (A @ B).to(got.dtype)))

    def test_out(self):
        for dtype in (torch.float32, torch.uint8):
            out = torch.zeros(3, 5, dtype=dtype)
            self.assertIs(tc.einsum("ij,jk", A.to(dtype), B.to(dtype), out=out), out)
            self.assertTrue(torch.equal(out, (A @ B).to(torch.int64).to(dtype)))

    def test_strides_and_scalars(self):
        got = tc.einsum("ij,kj,->", A[::2, 1:3], B.T[:, ::2], torch.tensor(2.0))
        self.assertEqual(got, 2 * torch.einsum("ij,kj->", A[::2, 1:3], B.T[:, ::2]))

    def test_the_first_operand_says_whose_the_result_is(self):
        self.assertIsInstance(tc.einsum("ij,jk", A, B.numpy()), torch.Tensor)
        self.assertNotIsInstance(tc.einsum("ij,jk", A.numpy(), B), torch.Tensor)

    def test_derivatives_are_not_dropped(self):
        wanted = B.clone().requires_grad_()
        kernel = tc.compile("ij,jk->ik", A, wanted)
        out = torch.zeros(3, 5, requires_grad=True)
        for call in (
            lambda: tc.einsum("ij,jk", A, wanted),
            lambda: tc.einsum("ij,jk", A.numpy(), wanted),
            lambda: tc.einsum("ij,jk", A, B, out=out),
            lambda: kernel(A, wanted),
        ):
            with self.assertRaisesRegex(ValueError, "without a gradient to compute: tc.torch"):
                call()
        with forward_ad.dual_level():
            with self.assertRaisesRegex(ValueError, "A: expected a tensor without a tangent"):
                tc.einsum("ij,jk", forward_ad.make_dual(A, A), B)
        with torch.no_grad():
            self.assertTrue(torch.equal(tc.einsum("ij,jk", A, wanted), A @ B))

    def test_tensors_without_memory(self):
        for transform in (torch.func.grad, torch.func.vmap):
            with self.assertRaisesRegex(TypeError, "expected a tensor with memory"):
                transform(lambda a: tc.einsum("...ij,jk->", a, B))(A.expand(1, 3, 4))
        with FakeTensorMode(), self.assertRaisesRegex(TypeError, "with memory, got a fake one"):
            tc.einsum("ij,jk", torch.empty(3, 4), torch.empty(4, 5))

    def test_refused(self):
        with self.assertRaisesRegex(TypeError, "expected f32, since kernels do not convert"):
            tc.einsum("ij,jk", A, B.to(torch.uint8))
        with self.assertRaisesRegex(ValueError, "dense|lies in memory"):
            tc.einsum("ij->i", A.to(torch.complex64).conj())


if __name__ == "__main__":
    unittest.main()
