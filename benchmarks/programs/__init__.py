"""Programs of the study on incremental flattening (Henriksen, Thoroe, Elsman and Oancea,
PPoPP 2019): their data, and references in NumPy.

Each NAME.mlir is one function whose extents are those of its arguments. `case.Program` says
what the arguments are; the other modules define the programs.
"""

from . import finance, matrix, rodinia

PROGRAMS = {program.name: program for program in finance.ALL + rodinia.ALL + matrix.ALL}
