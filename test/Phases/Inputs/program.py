"""Kernels in MLIR text, given a `main` that calls them on made-up data and prints.

Elements are small whole numbers, so that sums of any order are exact and two
lowerings of one program print the same digits.
"""

import re

_PRINTERS = {"f16": "F16", "f32": "F32", "f64": "F64", "i32": "I32", "i64": "I64"}
# Arrays of these are inputs alone: the printer of i8 writes characters.
_UNPRINTED = {"i8"}


def split_commas(text):
    """Splits at the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text.replace("->", "  ")):
        depth += (char in "<[({") - (char in ">])}")
        if char == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


def _bracketed(text, start):
    """The text between the parenthesis at `start` and its partner."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return text[start + 1 : i]
    raise ValueError("expected a closing parenthesis in a signature")


def read_signatures(text):
    """(name, argument types, result types) of each function with a body in printed
    MLIR."""
    found = []
    for match in re.finditer(r"func\.func @([\w$.-]+)\(", text):
        arguments = _bracketed(text, match.end() - 1)
        rest = text[match.end() + len(arguments) + 1 :].lstrip()
        types = [
            part.split(":", 1)[1].split(" {")[0].strip()
            for part in split_commas(arguments)
        ]
        results = []
        if rest.startswith("->"):
            rest = rest[2:].lstrip()
            if rest.startswith("("):
                results = split_commas(_bracketed(rest, 0))
            else:
                results = [re.match(r"\w+<[^>]*>|\w+", rest).group(0)]
        found.append((match.group(1), types, results))
    if not found:
        raise ValueError("expected a function")
    return found


def parse_shaped(type_text):
    """(kind, shape, element) of a static `memref<...>` or `tensor<...>`."""
    match = re.fullmatch(r"(memref|tensor)<((?:\d+x)*)(\w+)>", type_text)
    known = _PRINTERS.keys() | _UNPRINTED
    if not match or match.group(3) not in known:
        raise ValueError(
            "expected memrefs or tensors of static shape, plain layout and element "
            f"type {', '.join(sorted(known))}, got {type_text}"
        )
    shape = [int(n) for n in match.group(2).split("x") if n]
    return match.group(1), shape, match.group(3)


def _flat(value, shape, element):
    """Lines that make `value` one-dimensional, the new name, and its type."""
    shaped = "x".join(str(n) for n in shape + [element])
    total = 1
    for n in shape:
        total *= n
    flat_type = f"memref<{total}x{element}>"
    if shape:
        dims = ", ".join(str(i) for i in range(len(shape)))
        line = f"memref.collapse_shape {value} [[{dims}]] : memref<{shaped}> into {flat_type}"
    else:
        line = f"memref.expand_shape {value} [] output_shape [1] : memref<{shaped}> into {flat_type}"
    return f"{value}_flat = {line}", f"{value}_flat", flat_type, total


def _fill(value, shape, element, seed):
    """Lines that fill a buffer with whole numbers from -3 to 3."""
    line, flat, flat_type, total = _flat(value, shape, element)
    float_to = f"arith.sitofp %s : i32 to {element}"
    cast = {
        "i32": "arith.addi %s, %zero_i32 : i32",
        "i64": "arith.extsi %s : i32 to i64",
        "i8": "arith.trunci %s : i32 to i8",
    }.get(element, float_to)
    return f"""
    {line}
    {value}_n = arith.constant {total} : index
    scf.for %i = %zero to {value}_n step %one {{
      %i32 = arith.index_cast %i : index to i32
      %seed = arith.constant {seed * 7919 + 17} : i32
      %1 = arith.muli %i32, %factor : i32
      %2 = arith.addi %1, %seed : i32
      %3 = arith.shrui %2, %fifteen : i32
      %4 = arith.xori %2, %3 : i32
      %5 = arith.muli %4, %factor : i32
      %6 = arith.shrui %5, %fifteen : i32
      %7 = arith.remui %6, %seven : i32
      %8 = arith.subi %7, %three : i32
      %9 = {cast.replace("%s", "%8")}
      memref.store %9, {flat}[%i] : {flat_type}
    }}"""


def _print(flat, flat_type, element):
    return f"""
    {flat}_cast = memref.cast {flat} : {flat_type} to memref<*x{element}>
    call @printMemref{_PRINTERS[element]}({flat}_cast) : (memref<*x{element}>) -> ()"""


def _on_device(name, op, result=""):
    """Lines that run `op`, an asynchronous one of the gpu dialect, and wait for it."""
    mnemonic, rest = op.split(" ", 1)
    return f"""
    %{name}_begin = gpu.wait async
    {result}%{name}_end = {mnemonic} async [%{name}_begin] {rest}
    gpu.wait [%{name}_end]"""


def _call(name, types, results, device):
    """A function that calls `name` on made-up data and prints every memref argument
    and every result; with the element types printed and a label for each array. With
    `device` the arguments, memrefs, are copied to a device's buffers and back."""
    if device and (results or not all(t.startswith("memref") for t in types)):
        raise ValueError(f"expected @{name} to take memrefs alone")
    lines = [
        f"  func.func @call_{name}() {{",
        "    %zero = arith.constant 0 : index",
        "    %one = arith.constant 1 : index",
        "    %zero_i32 = arith.constant 0 : i32",
        "    %factor = arith.constant 1664525 : i32",
        "    %three = arith.constant 3 : i32",
        "    %seven = arith.constant 7 : i32",
        "    %fifteen = arith.constant 15 : i32",
    ]
    arguments, backs, prints, elements, labels = [], [], [], [], []

    def print_array(flat, flat_type, element, label):
        if element in _UNPRINTED:
            return
        prints.append(_print(flat, flat_type, element))
        elements.append(element)
        labels.append(f"@{name} {label}")

    for i, type_text in enumerate(types):
        kind, shape, element = parse_shaped(type_text)
        memref = type_text.replace("tensor", "memref")
        lines.append(f"    %m{i} = memref.alloc() : {memref}")
        lines.append(_fill(f"%m{i}", shape, element, i))
        if kind == "tensor":
            lines.append(
                f"    %t{i} = bufferization.to_tensor %m{i} restrict"
                f" : {memref} to {type_text}"
            )
            arguments.append(f"%t{i}")
            continue
        if device:
            both = f": {memref}, {memref}"
            lines.append(_on_device(f"new{i}", f"gpu.alloc () : {memref}", f"%d{i}, "))
            lines.append(_on_device(f"to{i}", f"gpu.memcpy %d{i}, %m{i} {both}"))
            backs.append(_on_device(f"back{i}", f"gpu.memcpy %m{i}, %d{i} {both}"))
            backs.append(_on_device(f"free{i}", f"gpu.dealloc %d{i} : {memref}"))
        arguments.append(f"%d{i}" if device else f"%m{i}")
        _, flat, flat_type, _ = _flat(f"%m{i}", shape, element)
        print_array(flat, flat_type, element, f"argument {i}")
    call = (
        f"call @{name}({', '.join(arguments)})"
        f" : ({', '.join(types)}) -> ({', '.join(results)})"
    )
    lines.append(f"    {f'%r:{len(results)} = ' if results else ''}{call}")
    for i, type_text in enumerate(results):
        _, shape, element = parse_shaped(type_text)
        memref = type_text.replace("tensor", "memref")
        lines.append(
            f"    %r{i}_m = bufferization.to_buffer %r#{i} : {type_text} to {memref}"
        )
        line, flat, flat_type, _ = _flat(f"%r{i}_m", shape, element)
        lines.append(f"    {line}")
        print_array(flat, flat_type, element, f"result {i}")
    return lines + backs + prints + ["    return", "  }"], elements, labels


def add_main(text, device=False):
    """The module `text` with a `@main` that calls each of its functions, and a label
    for each array it prints. A module that has a `@main` stays as it is. With
    `device` the functions get buffers of a device."""
    if "@main(" in text:
        return text, []
    lines, main, elements, labels = [], ["  func.func @main() {"], set(), []
    for name, types, results in read_signatures(text):
        call, printed, names = _call(name, types, results, device)
        lines += call
        main.append(f"    call @call_{name}() : () -> ()")
        elements.update(printed)
        labels += names
    lines += main + ["    return", "  }"]
    lines += [
        f"  func.func private @printMemref{_PRINTERS[e]}(memref<*x{e}>)"
        " attributes {llvm.emit_c_interface}"
        for e in sorted(elements)
    ]
    end = text.rstrip().rindex("}")
    return text[:end] + "\n".join(lines) + "\n}\n", labels


def read_printed(output):
    """The arrays that printMemref printed, as lists of numbers."""
    arrays = []
    for sizes, data in re.findall(r"sizes = \[(\d+)\].*?data =\s*\[(.*?)\]", output, re.S):
        # Of an array without elements it prints whatever is there.
        words = data.replace(",", " ").split()[: int(sizes)]
        arrays.append([float(word) for word in words])
    return arrays
