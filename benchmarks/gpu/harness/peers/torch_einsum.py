"""torch.einsum, without tf32, and with sums of narrow numbers in f32."""

from ..contenders import Contender, Missing, Prepared
from .arrays import make_inputs


class TorchEinsum(Contender):
    name = "torch-einsum"

    def find(self, driver):
        try:
            import torch
        except ImportError as error:
            raise Missing(str(error)) from error
        if not torch.cuda.is_available():
            raise Missing("torch finds no device")
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.set_grad_enabled(False)
        torch.cuda.set_stream(torch.cuda.ExternalStream(driver.stream.value))
        self.torch = torch
        return torch.__version__

    def prepare(self, driver, problem, sets):
        return PreparedEinsum(self.torch, problem, sets)


def view(torch, tensor, problem):
    """The tensor of an array, as the numbers that it has."""
    return tensor.view(torch.bfloat16) if problem.arithmetic.storage == "bf16" else tensor


class PreparedEinsum(Prepared):
    """Each result is a new tensor; the last one is kept."""

    def __init__(self, torch, problem, sets):
        super().__init__(sets)
        self.torch, self.einsum = torch, problem.einsum
        self.inputs = [
            [
                view(torch, torch.as_tensor(array, device="cuda"), problem)
                for array in make_inputs(problem, buffers)
            ]
            for buffers in sets
        ]
        self.held, self.result = None, None

    def launch(self, index):
        self.held, self.result = index, self.torch.einsum(self.einsum, *self.inputs[index])

    def output(self, index):
        if index != self.held:
            return None
        self.result = self.result.contiguous()
        return self.result.data_ptr()

    def free(self):
        self.inputs, self.result = [], None
        self.torch.cuda.empty_cache()
