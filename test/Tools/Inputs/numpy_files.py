"""Writes 2x3 and 3x2 arrays of f64 (the second in Fortran order), or prints one.

Only the standard library: numpy_files.py write A B, numpy_files.py print C.
"""

import ast
import struct
import sys


def write(path, shape, values, fortran):
    header = str({"descr": "<f8", "fortran_order": fortran, "shape": shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode() + struct.pack(f"<{len(values)}d", *values))


def show(path):
    with open(path, "rb") as file:
        contents = file.read()
    length = struct.unpack("<H", contents[8:10])[0]
    header = ast.literal_eval(contents[10 : 10 + length].decode())
    data = contents[10 + length :]
    values = list(struct.unpack(f"<{len(data) // 8}d", data))
    print(header["descr"], header["fortran_order"], header["shape"], values)


if sys.argv[1] == "write":
    write(sys.argv[2], (2, 3), [1, 2, 3, 4, 5, 6], False)
    write(sys.argv[3], (3, 2), [1, 3, 5, 2, 4, 6], True)
else:
    show(sys.argv[2])
