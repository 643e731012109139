# RUN: rm -rf %t && env TC_DRIVER=emulator TC_CACHE_DIR=%t/cache \
# RUN:   PYTHONPATH=%tc_source/python:%S/Inputs %python %s %tc_libs/libtc-cuda-emulator.so
"""What tc asks of torch and CuPy for arrays on a device: their current stream, their
allocators, and their rules for memory that another stream uses. Both are played by what
is below, over memory of the emulator; other tests have torch itself, on the CPU."""

import sys
import types
import unittest

import numpy
import tc
from device_arrays import DEVICE, Streams
from tc import _device

STREAMS = Streams(sys.argv.pop())
CURRENT, OTHER = STREAMS.make(), STREAMS.make()
A = numpy.arange(12, dtype="f4").reshape(3, 4)
B = numpy.arange(20, dtype="f4").reshape(4, 5)
said = []


class Memory:
    """Device memory with the values of an array."""

    def __init__(self, values):
        self.values = numpy.ascontiguousarray(values)
        self.address = DEVICE.allocate(self.values.nbytes, 0)
        DEVICE.copy_in(self.address, self.values.ctypes.data, self.values.nbytes)

    def read(self):
        result = numpy.empty_like(self.values)
        DEVICE.copy_out(result.ctypes.data, self.address, result.nbytes)
        return result


class Place:
    type = "cuda"
    index = id = 0


class TorchStream:
    def __init__(self, handle, device=None):
        self.cuda_stream = handle

    def wait_stream(self, other):
        said.append(("wait", self.cuda_stream, other.cuda_stream))
        DEVICE.wait(self.cuda_stream, other.cuda_stream)

    def __enter__(self):
        said.append(("enter", self.cuda_stream))

    def __exit__(self, *_):
        said.append(("exit", self.cuda_stream))


class Tensor(Memory):
    layout = "strided"
    dtype = "torch.float32"
    device = Place
    is_conjugate = False
    requires_grad = False
    tangent = None

    shape = property(lambda self: self.values.shape)

    def stride(self):
        return tuple(stride // self.values.itemsize for stride in self.values.strides)

    def data_ptr(self):
        return self.address

    def is_conj(self):
        return self.is_conjugate

    def is_neg(self):
        return False

    def record_stream(self, stream):
        said.append(("record", stream.cuda_stream))


def torch_empty(shape, dtype, device):
    said.append(("empty", dtype))
    tensor = Tensor(numpy.zeros(shape, dtype))
    tensor.dtype = f"torch.{numpy.dtype(dtype).name}"
    return tensor


torch = types.ModuleType("torch")
torch.Tensor, torch.strided = Tensor, "strided"
torch.float32, torch.uint8 = "f4", "u1"
torch.empty = torch_empty
torch.is_grad_enabled = lambda: True
torch.autograd = types.SimpleNamespace(forward_ad=types.SimpleNamespace(unpack_dual=lambda x: x))
torch._subclasses = types.SimpleNamespace(FakeTensor=())
torch.cuda = types.SimpleNamespace(
    current_stream=lambda device: TorchStream(CURRENT),
    ExternalStream=TorchStream,
    stream=lambda stream: stream,
)


class CupyScope:
    def __init__(self, *what):
        self.what = what

    def __enter__(self):
        said.append(("enter", *self.what))

    def __exit__(self, *_):
        pass


class CupyArray(Memory):
    device = Place
    dtype = numpy.dtype("f4")
    shape = property(lambda self: self.values.shape)
    strides = property(lambda self: self.values.strides)
    data = property(lambda self: types.SimpleNamespace(ptr=self.address))


CupyArray.__module__ = "cupy"


def cupy_empty(shape, dtype):
    said.append(("empty", dtype))
    return CupyArray(numpy.zeros(shape, dtype))


cupy = types.ModuleType("cupy")
cupy.empty = cupy_empty
cupy.cuda = types.SimpleNamespace(
    Device=CupyScope,
    ExternalStream=CupyScope,
    get_current_stream=lambda: types.SimpleNamespace(ptr=CURRENT),
)


class Case(unittest.TestCase):
    def setUp(self):
        sys.modules.update(torch=torch, cupy=cupy)
        self.addCleanup(sys.modules.pop, "torch")
        self.addCleanup(sys.modules.pop, "cupy")
        self.kernel = tc.compile("ik,kj->ij", (3, 4), (4, 5))
        real, self.launches = self.kernel._library.launch, []

        def launch(*values):
            self.launches.append(values[-1])
            return real(*values)

        self.kernel._library.launch = launch
        self.addCleanup(setattr, self.kernel._library, "launch", real)
        del said[:]


class Torch(Case):
    def test_the_current_stream(self):
        result = self.kernel(Tensor(A), Tensor(B))
        self.assertIsInstance(result, Tensor)
        numpy.testing.assert_array_equal(result.read(), A @ B)
        self.assertEqual(self.launches, [CURRENT])
        self.assertEqual(said, [("empty", "f4")])

    def test_another_stream(self):
        result = self.kernel(Tensor(A), Tensor(B), stream=TorchStream(OTHER))
        numpy.testing.assert_array_equal(result.read(), A @ B)
        self.assertEqual(self.launches, [OTHER])
        use = [("wait", OTHER, CURRENT), ("record", OTHER)]
        made = [("enter", OTHER), ("empty", "f4"), ("exit", OTHER)]
        # The result is on that stream already, but for torch it is not.
        self.assertEqual(said, use + use + made + use)

    def test_out(self):
        out = Tensor(numpy.zeros((3, 5), "f4"))
        self.assertIs(self.kernel(Tensor(A), Tensor(B), out=out), out)
        numpy.testing.assert_array_equal(out.read(), A @ B)

    def test_workspace(self):
        c = numpy.ones((5, 6), "f4")
        kernel = tc.compile("ij,jk,kl->il", (3, 4), (4, 5), (5, 6))
        result = kernel(Tensor(A), Tensor(B), Tensor(c))
        numpy.testing.assert_array_equal(result.read(), A @ B @ c)
        self.assertEqual(said, [("empty", "f4"), ("empty", "u1")])

    def test_compile_orders_nothing(self):
        self.assertEqual(tc.compile("ik,kj->ij", Tensor(A), Tensor(B)).chips, (DEVICE.chip,))
        self.assertEqual(said, [])

    def test_derivatives_are_not_dropped(self):
        recorded, dual = Tensor(A), Tensor(A)
        recorded.requires_grad, dual.tangent = True, Tensor(A)
        with self.assertRaisesRegex(ValueError, "A: expected a tensor without a gradient"):
            self.kernel(recorded, Tensor(B))
        with self.assertRaisesRegex(ValueError, "A: expected a tensor without a tangent"):
            self.kernel(dual, Tensor(B))
        with self.assertRaisesRegex(ValueError, "C: expected a tensor without a gradient"):
            self.kernel(Tensor(A), Tensor(B), out=recorded)

    def test_what_is_refused(self):
        lazy, sparse = Tensor(A), Tensor(A)
        lazy.is_conjugate, sparse.layout = True, "sparse_coo"
        with self.assertRaisesRegex(ValueError, "A: expected a tensor as it lies in memory"):
            self.kernel(lazy, Tensor(B))
        with self.assertRaisesRegex(TypeError, "A: expected a dense tensor, got .* sparse_coo"):
            self.kernel(sparse, Tensor(B))
        sparse.layout, sparse.dtype = "strided", "torch.qint8"
        with self.assertRaisesRegex(
            TypeError, "A: expected an element type of .*, got torch.qint8"
        ):
            self.kernel(sparse, Tensor(B))
        sparse.device = types.SimpleNamespace(type="xpu")
        with self.assertRaisesRegex(
            TypeError, "A: expected a tensor on the CPU or on a CUDA device"
        ):
            self.kernel(sparse, Tensor(B))


class Cupy(Case):
    def test_the_current_stream(self):
        result = self.kernel(CupyArray(A), CupyArray(B))
        self.assertIsInstance(result, CupyArray)
        numpy.testing.assert_array_equal(result.read(), A @ B)
        self.assertEqual(self.launches, [CURRENT])
        self.assertIn(("enter", CURRENT, 0), said)  # The result is allocated there.

    def test_another_stream(self):
        waits = []
        real = _device.Device.wait
        self.addCleanup(setattr, _device.Device, "wait", real)
        _device.Device.wait = lambda device, *streams: waits.append(streams)
        result = self.kernel(CupyArray(A), CupyArray(B), stream=OTHER)
        numpy.testing.assert_array_equal(result.read(), A @ B)
        self.assertEqual(self.launches, [OTHER])
        self.assertIn(("enter", OTHER, 0), said)
        self.assertEqual(set(waits), {(OTHER, CURRENT)})


class Together(Case):
    def test_libraries_may_be_mixed_on_a_device(self):
        result = self.kernel(CupyArray(A), Tensor(B))
        self.assertIsInstance(result, CupyArray)
        numpy.testing.assert_array_equal(result.read(), A @ B)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
