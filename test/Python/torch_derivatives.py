# REQUIRES: slow, torch
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%tc_source/python TC_COMPILE=%tc_build/bin/tc-compile TC_CACHE_DIR=%t \
# RUN:   %torch_python %s
"""Derivatives of the operator of PyTorch, in reverse and forward mode and nested, against
those of torch.einsum."""

import itertools
import unittest

import torch
import torch.autograd.forward_ad as forward_ad
from tc.torch import einsum
from torch.func import functionalize, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
from torch.fx.experimental.proxy_tensor import make_fx

# subscripts, shapes
CASES = [
    ("ij,jk->ik", (2, 3), (3, 2)),
    ("bij,bjk,kl->bl", (2, 1, 3), (2, 3, 2), (2, 2)),
    ("iij,...kj->ik...", (2, 2, 3), (2, 1, 3)),
    ("ij,j->i", (2, 1), (3,)),
    ("ij,k->i", (2, 3), (2,)),
    ("ii->", (3, 3)),
    (",i->i", (), (3,)),
]
TYPES = (torch.float64, torch.complex128)


def make(shapes, dtype=torch.float64):
    torch.manual_seed(1)
    return [torch.randn(shape, dtype=dtype) for shape in shapes]


def everything(call, operands):
    """First and second derivatives of a function of these operands."""
    places = tuple(range(len(operands)))
    tangents = tuple(torch.randn_like(operand) for operand in operands)
    one = lambda *o: jvp(call, o, tangents)[1]  # noqa: E731
    yield jvp(call, operands, tangents)
    yield jvp(one, operands, tangents)
    result, pull = vjp(call, *operands)
    yield result, pull(torch.ones_like(result))
    yield jvp(lambda *o: vjp(call, *o)[1](torch.ones_like(result)), operands, tangents)
    yield vjp(one, *operands)[1](torch.ones_like(result))
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(o, t) for o, t in zip(operands, tangents)]
        of_all = tuple(forward_ad.unpack_dual(call(*duals)))
        of_one = tuple(forward_ad.unpack_dual(call(*operands[:-1], duals[-1])))
    yield of_all, of_one
    if operands[0].is_complex():
        return  # Jacobians are of real functions.
    yield jacfwd(call, places)(*operands)
    yield jacrev(call, places)(*operands)
    for strategy in ("reverse-mode", "forward-mode"):
        yield torch.autograd.functional.jacobian(
            call, tuple(operands), vectorize=True, strategy=strategy
        )


class LikeTorch(unittest.TestCase):
    def same(self, got, expected):
        torch.testing.assert_close(got, expected)

    def test_derivatives(self):
        for subscripts, *shapes in CASES:
            for dtype in TYPES:
                operands = tuple(make(shapes, dtype))
                torch.manual_seed(2)
                got = list(everything(lambda *o, s=subscripts: einsum(s, *o), operands))
                torch.manual_seed(2)
                wanted = everything(lambda *o, s=subscripts: torch.einsum(s, *o), operands)
                for number, (mine, theirs) in enumerate(zip(got, list(wanted))):
                    with self.subTest(subscripts=subscripts, dtype=dtype, number=number):
                        self.same(mine, theirs)

    def test_numerically(self):
        for subscripts, *shapes in CASES:
            for dtype in TYPES:
                with self.subTest(subscripts=subscripts, dtype=dtype):
                    operands = [o.requires_grad_() for o in make(shapes, dtype)]
                    call = lambda *o, s=subscripts: einsum(s, *o)  # noqa: E731
                    batched = {"check_batched_grad": True}
                    forward = {"check_forward_ad": True, "check_batched_forward_grad": True}
                    torch.autograd.gradcheck(call, operands, **batched, **forward)
                    torch.autograd.gradgradcheck(
                        call, operands, check_fwd_over_rev=True, **batched
                    )

    def test_nested_transforms(self):
        x, y = make([(2, 3), (3, 4)])
        batch = torch.randn(5, 2, 3, dtype=torch.float64)
        inner = torch.randn(3, 4, 5, dtype=torch.float64)
        for name, ask in {
            "grad": lambda f: grad(lambda a: (f(a, y) ** 3).sum())(x),
            "hessian": lambda f: hessian(lambda a: (f(a, y) ** 3).sum())(x),
            "jacrev of jacrev": lambda f: jacrev(jacrev(lambda a: (f(a, y) ** 3).sum()))(x),
            "jacrev of jacfwd": lambda f: jacrev(jacfwd(lambda a: f(a, y) ** 3))(x),
            "third": lambda f: jacfwd(jacfwd(jacfwd(lambda a: (f(a, y) ** 3).sum())))(x),
            "vmap of grad": lambda f: vmap(grad(lambda a: (f(a, y) ** 2).sum()))(batch),
            "vmap of jvp": lambda f: vmap(lambda a: jvp(lambda b: f(b, y), (a,), (x,)))(batch),
            "grad of vmap": lambda f: grad(
                lambda a: (vmap(f, in_dims=(None, 2))(a, inner) ** 2).sum()
            )(x),
            "vmap of vmap": lambda f: vmap(vmap(f, in_dims=(None, 2)), in_dims=(0, None))(
                batch, inner
            ),
            "functionalize": lambda f: functionalize(grad(lambda a: (f(a, y) ** 2).sum()))(x),
        }.items():
            with self.subTest(name):
                call = lambda a, b, e: e("ij,jk->ik", a, b)  # noqa: E731
                self.same(
                    ask(lambda a, b: call(a, b, einsum)), ask(lambda a, b: call(a, b, torch.einsum))
                )

    def test_any_nesting(self):
        """PyTorch's functions of autograd lose the tangents of an outer jvp."""
        tangent = lambda x: torch.cos(7 * x).detach()  # noqa: E731
        transforms = {
            "jvp": lambda f: lambda a, b: jvp(f, (a, b), (tangent(a), tangent(b)))[1],
            "jvp of one": lambda f: lambda a, b: jvp(lambda x: f(x, b), (a,), (tangent(a),))[1],
            "grad": lambda f: lambda a, b: grad(lambda x: (f(x, b) ** 2).sum())(a) @ b,
            "vmap": lambda f: lambda a, b: vmap(f, in_dims=(None, 0))(a, torch.stack([b, 2 * b]))[1],
        }
        x, y = make([(2, 3), (3, 4)])
        for names in itertools.product(transforms, repeat=3):
            with self.subTest(" of ".join(names)):
                mine, theirs = (lambda a, b, e=e: e("ij,jk->ik", a, b) for e in (einsum, torch.einsum))
                for name in reversed(names):
                    mine, theirs = transforms[name](mine), transforms[name](theirs)
                self.same(mine(x, y), theirs(x, y))

    def test_compiled_transforms(self):
        x, y = make([(2, 3), (3, 4)])
        for name, transform in {
            "jvp": lambda f: jvp(f, (x,), (torch.ones_like(x),)),
            "grad": lambda f: grad(lambda a: f(a).sum())(x),
            "hessian": lambda f: hessian(lambda a: f(a).sum())(x),
            "vmap of grad": lambda f: vmap(grad(lambda a: f(a).sum()))(torch.stack([x, x + 1])),
        }.items():
            with self.subTest(name):
                torch._dynamo.reset()
                ask = lambda: transform(lambda a: einsum("ij,jk->ik", a, y) ** 3)  # noqa: E731
                compiled = torch.compile(ask, fullgraph=True, backend="aot_eager")
                self.same(compiled(), ask())

    def test_traced(self):
        x, y = make([(2, 3), (3, 4)])
        ask = hessian(lambda a: (einsum("ij,jk->ik", a, y) ** 3).sum())
        self.same(make_fx(ask)(x)(x), ask(x))

    def test_one_tensor_twice(self):
        (x,) = make([(3, 3)])
        for call in (lambda e: lambda a: e("ij,jk->ik", a, a), lambda e: lambda a: e("ij,ji", a, a)):
            self.same(jacfwd(call(einsum))(x), jacfwd(call(torch.einsum))(x))
            self.same(jacrev(call(einsum))(x), jacrev(call(torch.einsum))(x))

    def test_strided_and_conjugated(self):
        x, y = make([(4, 6), (5, 4)], torch.complex128)
        call = lambda e: lambda a, b: e("ij,kj->ik", a.T[::2], b.conj())  # noqa: E731
        ones = (torch.ones_like(x), torch.ones_like(y))
        self.same(jvp(call(einsum), (x, y), ones), jvp(call(torch.einsum), (x, y), ones))
        gradients = []
        for function in (call(einsum), call(torch.einsum)):
            leaves = [x.clone().requires_grad_(), y.clone().requires_grad_()]
            gradients.append(torch.autograd.grad(function(*leaves).abs().sum(), leaves))
        self.same(*gradients)

    def test_the_operator_itself(self):
        """Not only through the function that is in front of it."""
        x, y = make([(2, 3), (3, 4)])
        call = lambda a: torch.ops.tc.einsum("ij,jk->ik", [a, y])  # noqa: E731
        self.same(jvp(call, (x,), (x,)), (x @ y, x @ y))
        self.same(grad(lambda a: call(a).sum())(x), y.sum(1).expand(2, 3))


class OperatorCheck(unittest.TestCase):
    def test_all(self):
        for subscripts, *shapes in (("ij,jk->ik", (3, 4), (4, 5)), ("ijk->ki", (2, 3, 4))):
            for dtype in (torch.float32, torch.complex64):
                for wanted in ([True] * len(shapes), [True] + [False] * (len(shapes) - 1)):
                    operands = make(shapes, dtype)
                    for operand, flag in zip(operands, wanted):
                        operand.requires_grad_(flag)
                    results = torch.library.opcheck(torch.ops.tc.einsum, (subscripts, operands))
                    self.assertEqual(set(results.values()), {"SUCCESS"})
                    self.assertEqual(len(results), 4)


if __name__ == "__main__":
    unittest.main(verbosity=1)
