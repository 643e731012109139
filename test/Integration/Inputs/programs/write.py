"""The text of programs of tc ops on memrefs; views for all programs on memrefs."""

from .expressions import Emitter, format_constant
from .strategies import row_major


def memref_type(shape, element, strides=None, offset=0):
    dims = "".join(f"{extent}x" for extent in shape)
    layout = ""
    if strides is not None:
        layout = f", strided<[{', '.join(map(str, strides))}]"
        layout += f", offset: {offset}>" if offset else ">"
    return f"memref<{dims}{element}{layout}>"


def argument_type(operand):
    return memref_type(operand.view.base, operand.element)


def view_type(operand):
    view = operand.view
    if view.form == "dense":
        return argument_type(operand)
    if view.form == "tc.view" and not view.offset and view.strides == row_major(view.shape):
        return memref_type(view.shape, operand.element)
    return memref_type(view.shape, operand.element, view.strides, view.offset)


def _list(numbers):
    return f"[{', '.join(map(str, numbers))}]"


def _write_subview(operand, name, source, source_type, base_strides, base_offset):
    """A subview of all dimensions of the base, with what the slices say."""
    view = operand.view
    sizes = list(view.shape)
    if view.form == "transposed subview":
        for place, extent in zip(view.order, view.shape):
            sizes[place] = extent
    strides = [stride * step for stride, (_, step) in zip(base_strides, view.slices)]
    offset = base_offset + sum(
        stride * start for stride, (start, _) in zip(base_strides, view.slices)
    )
    text = memref_type(sizes, operand.element, strides, offset)
    line = (
        f"%{name} = memref.subview {source}{_list([s for s, _ in view.slices])} {_list(sizes)} "
        f"{_list([step for _, step in view.slices])} : {source_type} to {text}"
    )
    return line, text


def write_view(operand):
    """(name of the value the op takes, the lines that make it)."""
    view, name = operand.view, operand.name
    argument = f"%{name}"
    if view.form == "dense":
        return argument, []
    source_type, target_type = argument_type(operand), view_type(operand)
    value = f"%{name}_view"
    if view.form == "reinterpret_cast":
        line = (
            f"{value} = memref.reinterpret_cast {argument} to offset: [{view.offset}], sizes: "
            f"{_list(view.shape)}, strides: {_list(view.strides)} : {source_type} to {target_type}"
        )
        return value, [line]
    if view.form == "tc.view":
        lmad = (
            f"<offset = {view.offset}, sizes = {_list(view.shape)}, "
            f"strides = {_list(view.strides)}>"
        )
        return value, [f"{value} = tc.view {argument} {lmad} : {source_type} to {target_type}"]
    lines = []
    strides = row_major(view.base)
    if view.form == "subview":
        line, _ = _write_subview(operand, f"{name}_view", argument, source_type, strides, 0)
        return value, [line]
    if view.form == "transposed subview":
        line, source_type = _write_subview(
            operand, f"{name}_part", argument, source_type, strides, 0
        )
        lines.append(line)
        argument = f"%{name}_part"
    dims = ", ".join(f"d{n}" for n in range(len(view.shape)))
    permuted = ", ".join(f"d{n}" for n in view.order)
    lines.append(
        f"{value} = memref.transpose {argument} ({dims}) -> ({permuted}) : "
        f"{source_type} to {target_type}"
    )
    return value, lines


def format_subscript(subscript):
    parts = [name if f == 1 else f"{name} * {f}" for name, f in subscript.terms]
    if subscript.constant or not parts:
        parts.append(str(subscript.constant))
    return " + ".join(parts)


def _access(operand, values):
    subscripts = ", ".join(map(format_subscript, operand.subscripts))
    return f"{values[operand.name]}[{subscripts}] : {view_type(operand)}"


def _write_region(keyword, prefix, elements, expressions):
    """Lines of a region on scalars."""
    names = [f"%{prefix}{n}" for n in range(len(elements))]
    emitter = Emitter(prefix + "v")
    yielded = [emitter.emit(expression, names) for expression in expressions]
    types = ", ".join(str(expression.element) for expression in expressions)
    arguments = ", ".join(f"{name}: {element}" for name, element in zip(names, elements))
    lines = [f"{keyword} ({arguments}) {{"]
    lines += ["  " + line for line in emitter.lines]
    lines += [f"  tc.yield {', '.join(yielded)} : {types}", "}"]
    return lines


def _format_neutral(value, element):
    if element.kind == "complex":
        value, part = complex(value), element.part
        numbers = [format_constant(half, part) for half in (value.real, value.imag)]
        return f"#complex.number<:{part} {numbers[0].split()[0]}, {numbers[1].split()[0]}>"
    return format_constant(value, element)


def write_contract(term, values):
    """Lines of one tc.contract."""
    space = ", ".join(f"{i.name} = {i.extent}" for i in term.iterators)
    line = f"tc.contract ({space}) ins("
    line += ", ".join(_access(operand, values) for operand in term.inputs) + ")"
    if term.sides:
        line += " sides(" + ", ".join(_access(side, values) for side in term.sides) + ")"
    lines = [line]
    line = "    outs(" + ", ".join(_access(result, values) for result in term.results) + ")"
    if term.overwrite:
        line += " overwrite"
    if term.accumulator:
        line += f" accumulate({term.accumulator})"
    accumulators = term.accumulators()
    if term.combine:
        neutral = [
            _format_neutral(value, element)
            for value, element in zip(term.combine.neutral, accumulators)
        ]
        line += f" neutral({', '.join(neutral)})"
    lines.append(line)
    inputs = [operand.element for operand in term.inputs]
    regions = []
    if term.map:
        regions += _write_region("map", "m", inputs, term.map)
    if term.combine:
        marks = " associative" * term.combine.associative
        marks += " commutative" * term.combine.commutative
        mapped = [expression.element for expression in term.map] or accumulators
        regions += _write_region(
            "combine" + marks, "c", accumulators + mapped, term.combine.expressions
        )
    if term.epilogue:
        sides = [side.element for side in term.sides]
        regions += _write_region("epilogue", "e", accumulators + sides, term.epilogue)
    return lines + ["    " + line for line in regions]


def write_contract_program(program):
    body, values = [], {}
    for operand in program.arguments():
        values[operand.name], lines = write_view(operand)
        body += lines
    body += write_contract(program.contraction, values)
    return wrap(program, body)


def write_sum_program(program):
    """A tc.sum, or its terms one after the other."""
    body, values = [], {}
    for operand in program.arguments():
        values[operand.name], lines = write_view(operand)
        body += lines
    indent = "  " if program.form == "sum" else ""
    terms = [indent + line for t in program.terms for line in write_contract(t, values)]
    return wrap(program, [*body, "tc.sum {", *terms, "}"] if indent else [*body, *terms])


def wrap(program, body):
    arguments = ", ".join(
        f"%{operand.name}: {argument_type(operand)}" for operand in program.arguments()
    )
    lines = [f"func.func @program({arguments}) {{"]
    lines += ["  " + line for line in body]
    return "\n".join([*lines, "  return", "}", ""])
