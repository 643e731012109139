# REQUIRES: slow, torch
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%tc_source/python TC_COMPILE=%tc_build/bin/tc-compile TC_CACHE_DIR=%t \
# RUN:   %torch_python %s
"""The operator of PyTorch: values, gradients, fake tensors, torch.compile, vmap."""

import unittest

import torch
from tc.torch import einsum
from torch._subclasses.fake_tensor import FakeTensorMode

# subscripts, shapes
CASES = [
    ("ik,kj->ij", (5, 7), (7, 4)),
    ("bik,bkj->bij", (3, 5, 7), (3, 7, 4)),
    ("icaq,qbjk->abcijk", (2, 3, 4, 5), (5, 2, 3, 2)),
    ("ij->ji", (4, 5)),
    ("ij,jk", (4, 5), (5, 6)),
    ("ii", (4, 4)),
    ("ii->i", (4, 4)),
    ("iijj->j", (3, 3, 2, 2)),
    ("ij,k->i", (4, 5), (6,)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
    ("ij,jk->ik", (1, 4), (1, 3)),
    ("ij,jk,kl,l->i", (3, 4), (4, 5), (5, 2), (2,)),
    ("i,i->", (6,), (6,)),
    (",i->i", (), (6,)),
    ("ij->", (0, 3)),
    ("ik,kj->ij", (3, 0), (0, 4)),
]


def make(shapes, dtype=torch.float64, grad=False):
    torch.manual_seed(1)
    return [torch.randn(shape, dtype=dtype, requires_grad=grad) for shape in shapes]


class Values(unittest.TestCase):
    def test_like_torch(self):
        for subscripts, *shapes in CASES:
            for dtype in (torch.float32, torch.float64, torch.complex64):
                with self.subTest(subscripts=subscripts, shapes=shapes, dtype=dtype):
                    operands = make(shapes, dtype)
                    got = einsum(subscripts, *operands)
                    torch.testing.assert_close(got, torch.einsum(subscripts, *operands))
                    self.assertTrue(got.is_contiguous())

    def test_strides_and_lists(self):
        x, y = make([(6, 5), (8, 6)])
        expected = torch.einsum("ki,jk->ij", x[:, ::2], y)
        torch.testing.assert_close(einsum("ki,jk->ij", x[:, ::2], y), expected)
        torch.testing.assert_close(einsum(x[:, ::2], [2, 0], y, [1, 2], [0, 1]), expected)

    def test_lazy_conjugates(self):
        x, y = make([(3, 4), (3, 4)], torch.complex128)
        torch.testing.assert_close(einsum("ij,ij->i", x.conj(), y), (x.conj() * y).sum(1))

    def test_whole_and_half_numbers(self):
        for dtype in (torch.int32, torch.int64, torch.float16, torch.bfloat16):
            x, y = (torch.randint(-3, 4, s).to(dtype) for s in ((4, 5), (5, 6)))
            got = einsum("ik,kj->ij", x, y)
            self.assertEqual(got.dtype, dtype)
            self.assertTrue(torch.equal(got, (x.double() @ y.double()).to(dtype)))

    def test_result_is_no_view(self):
        (x,) = make([(3, 4)])
        y = einsum("ij->ij", x)
        y.zero_()
        self.assertNotEqual(x.abs().sum().item(), 0)

    def test_refused(self):
        x, y = make([(3, 4), (5, 6)])
        with self.assertRaisesRegex(ValueError, "label 'j' has the extent 5, which is 4"):
            einsum("ij,jk->ik", x, y)
        with self.assertRaisesRegex(TypeError, "expected a tensor, got list"):
            einsum("i->", [1.0])
        with self.assertRaisesRegex(TypeError, "operand 1: expected torch.float64, got torch.float32"):
            einsum("ij,kj->ik", x, x.float())
        with self.assertRaises(ValueError):
            einsum("ij->k", x)


class Gradients(unittest.TestCase):
    def test_first_and_second(self):
        for subscripts, *shapes in CASES:
            for dtype in (torch.float64, torch.complex128):
                with self.subTest(subscripts=subscripts, shapes=shapes, dtype=dtype):
                    operands = make(shapes, dtype, grad=True)
                    call = lambda *o, s=subscripts: einsum(s, *o)  # noqa: E731
                    self.assertTrue(torch.autograd.gradcheck(call, operands))
                    self.assertTrue(torch.autograd.gradgradcheck(call, operands))

    def test_only_what_is_asked(self):
        x, y = make([(3, 4), (4, 5)])
        y.requires_grad_()
        einsum("ij,jk->", x, y).backward()
        self.assertIsNone(x.grad)
        torch.testing.assert_close(y.grad, x.sum(0)[:, None].expand(4, 5))


class Compilation(unittest.TestCase):
    def test_operator_check(self):
        operands = make([(3, 4), (4, 5)], grad=True)
        torch.library.opcheck(torch.ops.tc.einsum, ("ij,jk->ik", operands))
        operands = make([(3, 4)], torch.complex64)
        torch.library.opcheck(torch.ops.tc.einsum, ("ij->j", operands))

    def test_fake(self):
        with FakeTensorMode():
            x, y = torch.empty(3, 4), torch.empty(4, 7)
            z = einsum("ij,jk->ki", x, y)
        self.assertEqual((tuple(z.shape), z.dtype, z.stride()), ((7, 3), torch.float32, (3, 1)))

    def test_whole_graph(self):
        def layer(x, w, b):
            hidden = torch.relu(einsum("...i,ij->...j", x, w) + b)
            return einsum("bj,bj->b", hidden, hidden).sum()

        for dynamic in (False, True):
            torch._dynamo.reset()
            compiled = torch.compile(layer, fullgraph=True, dynamic=dynamic, backend="aot_eager")
            for rows in (4, 9):
                operands = make([(rows, 5), (5, 6), (6,)], grad=True)
                got = torch.autograd.grad(compiled(*operands), operands)
                expected = torch.autograd.grad(layer(*operands), operands)
                torch.testing.assert_close(got, expected)

    def test_diagonals_and_broadcasts(self):
        compiled = torch.compile(
            lambda x, y: einsum("iij,...kj->ik...", x, y), fullgraph=True, backend="aot_eager"
        )
        x, y = make([(3, 3, 1), (2, 5, 4)])
        torch.testing.assert_close(compiled(x, y), torch.einsum("iij,...kj->ik...", x, y))

    def test_vmap(self):
        x, y = make([(6, 3, 4), (4, 5, 6)])
        call = torch.func.vmap(lambda a, b: einsum("ij,jk->ik", a, b), in_dims=(0, 2))
        torch.testing.assert_close(call(x, y), torch.einsum("bij,jkb->bik", x, y))
        call = torch.func.vmap(lambda a: einsum("ij,jk->ik", a, y[..., 0]))
        torch.testing.assert_close(call(x), torch.einsum("bij,jk->bik", x, y[..., 0]))


if __name__ == "__main__":
    unittest.main(verbosity=1)
