"""Calls a package through TVM-FFI, with arrays of NumPy and, where there are, PyTorch and JAX.

    check_tvm_ffi.py LIBRARY"""

import importlib.util
import sys

import numpy as np
import tvm_ffi

library = tvm_ffi.load_module(sys.argv[1])


def refused(what, *arguments):
    try:
        library.mm(*arguments)
    except (TypeError, ValueError) as error:
        print(f"{what}: {type(error).__name__}: {error}")


a = np.arange(8, dtype=np.float32).reshape(2, 4)
b = np.arange(12, dtype=np.float32).reshape(4, 3)
c = np.zeros((2, 3), np.float32)
assert library.mm(a, b, c) is None
print("mm:", np.array_equal(c, a @ b))
scaled = np.zeros((4, 2), np.float32)
library.scaled(a.T, 0.5, scaled)
print("scaled:", np.array_equal(scaled, a.T / 2))
halves = np.arange(4, dtype=np.float16)
products = np.zeros_like(halves)
library.half(halves, 1.5, products)
print("half:", np.array_equal(products, halves * np.float16(1.5)))
pairs = np.arange(4, dtype=np.complex64) * (1 - 2j)
squares = np.zeros_like(pairs)
library.squares(pairs, squares)
print("squares:", np.array_equal(squares, pairs * pairs))

refused("count", a, b)
refused("type", a.astype(np.float64), b, c)
refused("extent", a, b, np.zeros((3, 3), np.float32))
refused("strides", a, np.zeros((3, 4), np.float32).T, c)
refused("text", a, b, "C")

if importlib.util.find_spec("torch"):
    import torch

    c = torch.zeros(2, 3)
    library.mm(torch.from_numpy(a), torch.from_numpy(b), c)
    assert np.array_equal(c.numpy(), a @ b)
    scaled = torch.zeros(4, 2)
    library.scaled(torch.from_numpy(a).T, 3, scaled)
    assert np.array_equal(scaled.numpy(), a.T * 3)

if importlib.util.find_spec("jax_tvm_ffi"):
    import jax
    import jax_tvm_ffi

    def call(name, shape, *arguments, **attributes):
        result = jax.ShapeDtypeStruct(shape, np.float32)
        return jax.ffi.ffi_call(name, result)(*arguments, **attributes)

    a, b, d = (np.arange(n * m, dtype=np.float32).reshape(n, m) for n, m in [(2, 4), (4, 4), (4, 3)])
    jax_tvm_ffi.register_ffi_target("tc.chain", library.chain, ["args", "rets"])
    chain = jax.jit(lambda *arguments: 2 * call("tc.chain", (2, 3), *arguments))
    assert np.array_equal(chain(a, b, d), 2 * (a @ b @ d))
    jax_tvm_ffi.register_ffi_target("tc.scaled", library.scaled, ["args", "attrs.factor", "rets"])
    assert np.array_equal(call("tc.scaled", (2, 4), a, factor=0.5), a / 2)
    try:
        call("tc.chain", (3, 3), a, b, d).block_until_ready()
    except jax.errors.JaxRuntimeError as error:
        assert "expected dimension 0 to have extent 2" in str(error)
    else:
        raise AssertionError("an extent that does not fit was not refused")
