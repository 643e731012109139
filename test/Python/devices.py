# RUN: rm -rf %t && env TC_DRIVER=emulator TC_CACHE_DIR=%t/cache \
# RUN:   PYTHONPATH=%tc_source/python:%S/Inputs %python %s %tc_libs/libtc-cuda-emulator.so
"""Kernels on arrays of a device, which is the emulator."""

import gc
import sys
import unittest

import numpy
import tc
from device_arrays import DEVICE, CudaArray, DlpackArray, NamespaceArray, Streams, read, read_cuda
from tc import _device, _dlpack

STREAMS = Streams(sys.argv.pop())
A = numpy.arange(12, dtype="f4").reshape(3, 4)
B = numpy.arange(20, dtype="f4").reshape(4, 5)


class CudaArrays(unittest.TestCase):
    def setUp(self):
        self.kernel = tc.compile("ik,kj->ij", CudaArray(A), CudaArray(B))

    def test_the_chip_is_that_of_the_device(self):
        self.assertEqual(self.kernel.chips, (DEVICE.chip,))
        self.assertEqual(DEVICE.chip, "sm_90a")

    def test_result_on_the_device(self):
        result = self.kernel(CudaArray(A), CudaArray(B))
        numpy.testing.assert_array_equal(read(result), A @ B)
        interface = result.__cuda_array_interface__
        self.assertEqual((interface["shape"], interface["typestr"]), ((3, 5), "<f4"))
        # It is an operand, too, by either protocol.
        again = tc.compile("ij->ji", result)(result)
        numpy.testing.assert_array_equal(read(again), (A @ B).T)

    def test_out(self):
        out = CudaArray(numpy.zeros((3, 5), "f4"))
        self.assertIs(self.kernel(CudaArray(A), CudaArray(B), out=out), out)
        numpy.testing.assert_array_equal(read_cuda(out), A @ B)

    def test_strides(self):
        a, b = A[::-1], B[:, ::2]
        kernel = tc.compile("ik,kj->ij", CudaArray(a), CudaArray(b))
        numpy.testing.assert_array_equal(read(kernel(CudaArray(a), CudaArray(b))), a @ b)

    def test_extents_of_a_call_and_zero(self):
        kernel = tc.compile("ik,kj->ij", (None, None), (None, None))
        for i in (3, 1, 0):
            a = A[:i].copy()
            numpy.testing.assert_array_equal(read(kernel(CudaArray(a), CudaArray(B))), a @ B)

    def test_workspace(self):
        c = numpy.ones((5, 6), "f4")
        arrays = CudaArray(A), CudaArray(B), CudaArray(c)
        kernel = tc.compile("ij,jk,kl->il", *arrays)
        self.assertGreater(kernel._library.workspace_bytes((), on_cpu=False), 0)
        numpy.testing.assert_array_equal(read(kernel(*arrays)), A @ B @ c)

    def test_numpy_runs_on_the_cpu(self):
        numpy.testing.assert_array_equal(self.kernel(A, B), A @ B)

    def test_a_stream_of_the_arrays(self):
        streams = STREAMS.make(), STREAMS.make()
        a, b = CudaArray(A, stream=streams[0]), CudaArray(B, stream=streams[1])
        result = self.kernel(a, b)
        self.assertEqual(result.stream, streams[0])
        self.assertEqual(result.__cuda_array_interface__["stream"], streams[0])
        numpy.testing.assert_array_equal(read(result), A @ B)

    def test_a_stream_of_the_caller(self):
        class Stream:
            def __init__(self, **names):
                self.__dict__.update(names)

        class Protocol:
            def __cuda_stream__(self):
                return (0, handle)

        handle = STREAMS.make()
        forms = (handle, Stream(cuda_stream=handle), Stream(ptr=handle), Stream(handle=handle))
        for stream in (*forms, Protocol()):
            result = self.kernel(CudaArray(A), CudaArray(B, stream=1), stream=stream)
            self.assertEqual(result.stream, handle)
            numpy.testing.assert_array_equal(read(result), A @ B)
        for stream in (0, 1, 2):
            result = self.kernel(CudaArray(A), CudaArray(B), stream=stream)
            numpy.testing.assert_array_equal(read(result), A @ B)
        with self.assertRaisesRegex(TypeError, "a CUDA stream or its handle, got str"):
            self.kernel(CudaArray(A), CudaArray(B), stream="fast")

    def test_waits_for_the_streams_of_the_arrays(self):
        waits = []
        own, other = STREAMS.make(), STREAMS.make()
        real = _device.Device.wait
        _device.Device.wait = lambda device, *streams: waits.append(streams)
        try:
            self.kernel(CudaArray(A, stream=other), CudaArray(B, stream=own), stream=own)
        finally:
            _device.Device.wait = real
        self.assertEqual(waits, [(own, other)])


class Refuses(unittest.TestCase):
    def setUp(self):
        self.kernel = tc.compile("ik,kj->ij", CudaArray(A), CudaArray(B))

    def refuses(self, error, words, *arguments, **options):
        with self.assertRaisesRegex(error, words) as caught:
            self.kernel(*arguments, **options)
        return caught.exception

    def test_several_places(self):
        words = "expected all arrays in one place, got A on the CPU, B on device 0"
        self.refuses(ValueError, words, A, CudaArray(B))
        self.refuses(
            ValueError, "in one place", CudaArray(A), CudaArray(B), out=numpy.zeros((3, 5), "f4")
        )

    def test_addresses_that_the_driver_does_not_know(self):
        """They are nobody's, and not memory of the host that a kernel may use."""
        host = A.ctypes.data
        for address in (0x1234560, host):
            wrong = CudaArray(A, data=(address, False))
            self.refuses(ValueError, f"A: expected an address .*, got {hex(address)}", wrong, wrong)
        self.refuses(tc.LaunchError, "got a null", CudaArray(A, data=(0, False)), CudaArray(B))

    def test_interfaces_that_are_none(self):
        for field, value in (
            ("shape", (-3, 4)),
            ("shape", (2**70, 4)),
            ("shape", "x"),
            ("shape", None),
            ("typestr", 5),
            ("data", None),
            ("data", (None, False)),
            ("strides", "x"),
        ):
            words = f"A: expected .* as '{field}' in __cuda_array_interface__, got "
            self.refuses(TypeError, words, CudaArray(A, **{field: value}), CudaArray(B))

    def test_a_package_for_the_cpu(self):
        kernel = tc.compile("ik,kj->ij", A, B)
        with self.assertRaisesRegex(tc.LaunchError, "a package for the CPU alone") as caught:
            kernel(CudaArray(A), CudaArray(B))
        self.assertEqual(caught.exception.code, 24)  # TC_NO_VARIANT

    def test_a_kernel_for_another_device(self):
        kernel = tc.compile("ik,kj->ij", (3, 4), (4, 5), chips="sm_120")
        with self.assertRaisesRegex(tc.LaunchError, "expected a device for sm_120"):
            kernel(CudaArray(A), CudaArray(B))

    def test_results(self):
        fixed = CudaArray(numpy.zeros((3, 5), "f4"), is_read_only=True)
        self.refuses(
            ValueError,
            "C: expected an array that may be written",
            CudaArray(A),
            CudaArray(B),
            out=fixed,
        )
        both = CudaArray(numpy.zeros(40, "f4"))
        a, out = CudaArray(A), CudaArray(numpy.zeros((3, 5), "f4"))
        a.interface["data"] = (both.address, False)
        out.interface["data"] = (both.address + 24, False)
        error = self.refuses(tc.LaunchError, "shares no bytes with A", a, CudaArray(B), out=out)
        self.assertEqual(error.code, 20)

    def test_a_buffer_that_is_too_small(self):
        a = CudaArray(A)
        a.interface["data"] = (CudaArray(numpy.zeros(4, "f4")).address, False)
        self.assertEqual(
            self.refuses(tc.LaunchError, "A: expected 48 bytes", a, CudaArray(B)).code, 21
        )

    def test_interfaces(self):
        self.refuses(TypeError, "without a mask", CudaArray(A, mask=CudaArray(A)), CudaArray(B))
        self.refuses(
            TypeError, "expected an element type of", CudaArray(A, typestr="<m8[s]"), CudaArray(B)
        )
        self.refuses(
            ValueError, "expected a stream of None, 1 or more", CudaArray(A, stream=0), CudaArray(B)
        )
        self.refuses(ValueError, "whole elements", CudaArray(A, strides=(15, 4)), CudaArray(B))


class Dlpack(unittest.TestCase):
    def setUp(self):
        self.kernel = tc.compile("ik,kj->ij", (3, 4), (4, 5))

    def test_result(self):
        a, b = DlpackArray(A), DlpackArray(B)
        result = self.kernel(a, b)
        self.assertEqual(a.streams, [1])  # The default stream, by its name in DLPack.
        numpy.testing.assert_array_equal(read(result), A @ B)

    def test_the_stream_is_passed_on(self):
        stream = STREAMS.make()
        a = DlpackArray(A)
        numpy.testing.assert_array_equal(read(self.kernel(a, DlpackArray(B), stream=stream)), A @ B)
        self.assertEqual(a.streams, [stream])

    def test_the_result_is_of_the_callers_library(self):
        name, buffer = self.kernel(NamespaceArray(A), NamespaceArray(B))
        self.assertEqual(name, "from_dlpack")
        numpy.testing.assert_array_equal(read(buffer), A @ B)

    def test_memory_is_given_away_once(self):
        result = self.kernel(DlpackArray(A), DlpackArray(B))
        self.assertEqual(result.__dlpack_device__(), (2, 0))
        buffer = _dlpack.view(result, 0)
        with self.assertRaisesRegex(BufferError, "given away"):
            result.__dlpack__()
        with self.assertRaisesRegex(AttributeError, "given away"):
            getattr(result, "__cuda_array_interface__")  # noqa: B009
        with self.assertRaisesRegex(ValueError, "A: the array was given away"):
            self.kernel(result, DlpackArray(B))
        address = buffer.pointer
        del result
        gc.collect()
        numpy.testing.assert_array_equal(read(buffer), A @ B)
        del buffer
        gc.collect()
        with self.assertRaises(tc.LaunchError):  # It was freed.
            DEVICE.copy_out(numpy.empty(15, "f4").ctypes.data, address, 60)

    def test_a_capsule_that_nobody_takes(self):
        result = self.kernel(DlpackArray(A), DlpackArray(B))
        address = result.pointer
        capsule = result.__dlpack__()
        del result, capsule
        gc.collect()
        with self.assertRaises(tc.LaunchError):
            DEVICE.copy_out(numpy.empty(15, "f4").ctypes.data, address, 60)

    def test_what_a_result_refuses(self):
        result = self.kernel(DlpackArray(A), DlpackArray(B))
        with self.assertRaisesRegex(BufferError, "makes no copies"):
            result.__dlpack__(copy=True)
        with self.assertRaisesRegex(BufferError, "expected the device"):
            result.__dlpack__(dl_device=(1, 0))

    def test_other_devices(self):
        class Elsewhere(DlpackArray):
            def __dlpack_device__(self):
                return (10, 0)

        with self.assertRaisesRegex(
            TypeError, "A: .* on a CUDA device, got one of DLPack's type 10"
        ):
            self.kernel(Elsewhere(A), DlpackArray(B))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
