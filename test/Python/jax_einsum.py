# REQUIRES: slow, jax
# RUN: env TC_CACHE_DIR=%t PYTHONPATH=%tc_source/python %python %s
"""tc.jax.einsum against jax.numpy.einsum: values, derivatives and batches."""

import os
import random
import subprocess
import sys
import tempfile
import unittest

import jax
import jax.numpy as jnp
import numpy
from tc.jax import einsum

jax.config.update("jax_enable_x64", True)
COUNT = 200
A = jnp.arange(6.0).reshape(2, 3)
B = jnp.arange(12.0).reshape(3, 4)


class Random:
    """An einsum of one to three operands, with diagonals, extents of 1 and ellipses."""

    def __init__(self, seed):
        dice = random.Random(seed)
        extents = {label: dice.choice([1, 2, 3, 5]) for label in "abcde"}
        terms = [
            "".join(dice.choice("abcde") for _ in range(dice.randint(1, 3)))
            for _ in range(dice.randint(1, 3))
        ]
        present = sorted(set("".join(terms)))
        output = "".join(dice.sample(present, dice.randint(0, min(3, len(present)))))
        shapes = [[extents[label] for label in term] for term in terms]
        if dice.random() < 0.3:
            terms[0], output = "..." + terms[0], "..." + output
            shapes[0].insert(0, 2)
        self.subscripts = ",".join(terms) + "->" + output
        if dice.random() < 0.2:  # An extent that broadcasts.
            place = dice.randrange(len(shapes[0]))
            if terms[0].count(terms[0].replace("...", ".")[place]) == 1:
                shapes[0][place] = 1
        dtype = dice.choice(["f4", "f8", "c16"])
        numbers = numpy.random.default_rng(seed)
        parts = [numbers.integers(-3, 4, (2, *shape)) for shape in shapes]
        self.arrays = [(x + 1j * y if dtype == "c16" else x).astype(dtype) for x, y in parts]
        self.batched = dice.randrange(len(shapes))
        self.many = list(self.arrays)
        one = self.arrays[self.batched]
        self.many[self.batched] = numpy.stack([one, one + 1], -1)


class Agrees(unittest.TestCase):
    """Sums of small integers are exact in any order."""

    def test_random(self):
        for seed in range(COUNT):
            case = Random(seed)
            with self.subTest(seed=seed, subscripts=case.subscripts):
                self.check(case)

    def check(self, case):
        every = tuple(range(len(case.arrays)))
        places = [-1 if n == case.batched else None for n in every]

        def outcomes(function):
            """The value, all gradients, and a batch, of one compilation."""

            def contract(*arrays):
                return function(case.subscripts, *arrays)

            def loss(*arrays):
                return (contract(*arrays) ** 2).real.sum()

            def run(arrays, many):
                gradients = jax.grad(loss, every)(*arrays)
                return contract(*arrays), gradients, jax.vmap(contract, places)(*many)

            return jax.tree.leaves(jax.jit(run)(case.arrays, case.many))

        for got, wanted in zip(outcomes(einsum), outcomes(jnp.einsum), strict=True):
            self.assertEqual(got.dtype, wanted.dtype)
            numpy.testing.assert_array_equal(got, wanted)


class Transforms(unittest.TestCase):
    def test_derivatives_of_derivatives(self):
        def loss(function):
            return lambda a, b: (function("ij,jk->ik", a, b) ** 2).sum()

        got = jax.hessian(loss(einsum), (0, 1))(A, B)
        wanted = jax.hessian(loss(jnp.einsum), (0, 1))(A, B)
        for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(wanted)):
            numpy.testing.assert_array_equal(one, other)

    def test_forward_mode(self):
        _, got = jax.jvp(lambda a: einsum("ij,ij->j", a, a), (A,), (A + 1,))
        numpy.testing.assert_array_equal(got, (2 * A * (A + 1)).sum(0))

    def test_batches_of_gradients(self):
        def gradient(function):
            return jax.vmap(jax.grad(lambda a, b: function("j,jk->", a, b)), (0, None))

        numpy.testing.assert_array_equal(gradient(einsum)(A, B), gradient(jnp.einsum)(A, B))

    def test_a_loop_of_xla(self):
        x = jnp.eye(3) * 2
        got = jax.lax.fori_loop(0, 5, lambda _, y: einsum("ij,jk->ik", y, x), jnp.eye(3))
        numpy.testing.assert_array_equal(got, jnp.eye(3) * 32)


class Takes(unittest.TestCase):
    def test_lists_and_implicit_outputs(self):
        numpy.testing.assert_array_equal(einsum(A, [0, 1], B, [1, 2], [2, 0]), (A @ B).T)
        numpy.testing.assert_array_equal(einsum("ij,jk", A, B), A @ B)
        numpy.testing.assert_array_equal(einsum(A, [0, 1], B, [1, 2]), A @ B)

    def test_types(self):
        for dtype in ("int8", "int32", "int64", "float16", "bfloat16", "float32", "complex64"):
            a, b = A.astype(dtype), B.astype(dtype)
            got = einsum("ij,jk->ik", a, b)
            self.assertEqual(got.dtype, dtype)
            numpy.testing.assert_array_equal(got.astype("c16"), A @ B)
        self.assertEqual(einsum("ij,jk->ik", A.astype("int32"), B.astype("f4")).dtype, "float32")

    def test_no_elements(self):
        got = einsum("ij,jk->ik", jnp.ones((2, 0)), jnp.ones((0, 3)))
        numpy.testing.assert_array_equal(got, jnp.zeros((2, 3)))

    def test_what_does_not_fit(self):
        for arguments, words in (
            (("ij,jk->ik", A, A), "operand 1: label 'j' has the extent 2, which is 3 before"),
            (("ij",), "expected at least one array"),
            (("ijk->i", A), "contains too many subscripts for operand 0"),
            (("ij->ik", A), "'k' which never appeared in an input"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                einsum(*arguments)

    def test_what_jax_kept_serves_another_process(self):
        program = "import jax, jax.numpy as jnp; from tc.jax import einsum; x = jnp.ones((3, 3));"
        program += "print(jax.jit(lambda x: einsum('ij,kj->ik', x, x))(x).sum())"
        with tempfile.TemporaryDirectory() as folder:
            kept = {
                "JAX_COMPILATION_CACHE_DIR": folder,
                "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
                "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
            }
            for _ in range(2):
                done = subprocess.run(
                    [sys.executable, "-c", program],
                    env={**os.environ, **kept},
                    capture_output=True,
                    text=True,
                    check=True,
                )
                self.assertEqual(done.stdout, "27.0\n")
            self.assertNotEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
