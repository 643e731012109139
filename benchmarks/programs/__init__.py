"""Programs of the study on incremental flattening (Henriksen, Thoroe, Elsman and Oancea,
PPoPP 2019): their data, and references in NumPy.

Each NAME.mlir is one function whose extents are those of its arguments. `case.Program` says
what the arguments are; the other modules define the programs.
"""

from . import finance, heston, matrix, rodinia

MODULES = (heston, finance, rodinia, matrix)
PROGRAMS = {program.name: program for module in MODULES for program in module.ALL}
