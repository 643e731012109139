"""cupy.einsum, with what accelerators CuPy was told to use (CUPY_ACCELERATORS)."""

from ..contenders import Contender, Missing, Prepared, Unsupported
from .arrays import make_inputs


class CupyEinsum(Contender):
    name = "cupy-einsum"

    def find(self, driver):
        try:
            import cupy

            if not cupy.cuda.is_available():
                raise Missing("cupy finds no device")
        except ImportError as error:
            raise Missing(str(error)) from error
        cupy.cuda.ExternalStream(driver.stream.value).use()
        self.cupy = cupy
        return cupy.__version__

    def prepare(self, driver, problem, sets):
        return PreparedEinsum(self.cupy, problem, sets)


class PreparedEinsum(Prepared):
    """Each result is a new array; the last one is kept."""

    def __init__(self, cupy, problem, sets):
        super().__init__(sets)
        if problem.arithmetic.storage == "bf16":
            raise Unsupported("CuPy has no bf16")
        self.cupy, self.einsum = cupy, problem.einsum
        self.inputs = [
            [cupy.asarray(array) for array in make_inputs(problem, buffers)] for buffers in sets
        ]
        self.held, self.result = None, None

    def launch(self, index):
        self.held, self.result = index, self.cupy.einsum(self.einsum, *self.inputs[index])

    def output(self, index):
        if index != self.held:
            return None
        self.result = self.cupy.ascontiguousarray(self.result)
        return self.result.data.ptr

    def free(self):
        self.inputs, self.result = [], None
        self.cupy.get_default_memory_pool().free_all_blocks()
