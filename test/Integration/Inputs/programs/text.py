"""The text of a program of any form."""

from . import write, write_linalg

WRITERS = {
    "contract": write.write_contract_program,
    "sum": write.write_sum_program,
    "sequence": write.write_sum_program,
    "generic": write_linalg.write_on_memrefs,
    "generic on tensors": write_linalg.write_on_tensors,
    "named": write_linalg.write_on_memrefs,
    "named on tensors": write_linalg.write_on_tensors,
    "convolution": write_linalg.write_on_memrefs,
    "convolution on tensors": write_linalg.write_on_tensors,
    "fused": write_linalg.write_fused,
}


def write_program(program):
    """(MLIR, the values of index arguments), or (the einsum and its options, [])."""
    if program.form == "einsum":
        return "".join(f"{name}: {value}\n" for name, value in program.details), []
    return WRITERS[program.form](program)
