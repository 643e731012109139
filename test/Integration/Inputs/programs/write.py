"""The text of programs of tc ops on memrefs; views for all programs on memrefs."""

from .expressions import Emitter, format_constant
from .strategies import row_major


class Indices:
    """The numbers that a program takes at run time, as arguments of type index."""

    def __init__(self):
        self.values = []
        self.names = {}

    def add(self, value):
        self.values.append(value)
        return f"%k{len(self.values) - 1}"

    def extent(self, iterator):
        """The extent of an iterator as the text says it: the same argument each time."""
        if not iterator.dynamic:
            return str(iterator.extent)
        if iterator not in self.names:
            self.names[iterator] = self.add(iterator.extent)
        return self.names[iterator]


class _Static:
    """Writes numbers as they are."""

    def add(self, value):
        return str(value)


def memref_type(shape, element, strides=None, offset=0):
    dims = "".join(f"{extent}x" for extent in shape)
    layout = ""
    if strides is not None:
        layout = f", strided<[{', '.join(map(str, strides))}]"
        layout += f", offset: {offset}>" if offset else ">"
    return f"memref<{dims}{element}{layout}>"


def _unknown(numbers):
    return ["?"] * len(numbers)


def argument_type(operand):
    view, element = operand.view, operand.element
    strides, offset = view.slices if view.form == "layout" else (None, 0)
    if not operand.dynamic:
        return memref_type(view.base, element, strides, offset)
    if strides is not None:
        strides, offset = _unknown(strides), "?"
    return memref_type(_unknown(view.base), element, strides, offset)


def view_type(operand):
    view, element = operand.view, operand.element
    if view.form in ("dense", "layout"):
        return argument_type(operand)
    if operand.dynamic:
        if view.form == "transpose":
            # The last dimension of the base is dense.
            strides = ["1" if n == len(view.order) - 1 else "?" for n in view.order]
            return memref_type(_unknown(view.shape), element, strides)
        return memref_type(_unknown(view.shape), element, _unknown(view.shape), "?")
    if view.form == "tc.view" and not view.offset and view.strides == row_major(view.shape):
        return memref_type(view.shape, element)
    return memref_type(view.shape, element, view.strides, view.offset)


def _list(numbers):
    return f"[{', '.join(map(str, numbers))}]"


def _write_subview(operand, name, indices):
    """A subview of all dimensions of the base: its line and its type."""
    view = operand.view
    sizes = list(view.shape)
    if view.form == "transposed subview":
        for place, extent in zip(view.order, view.shape):
            sizes[place] = extent
    whole = row_major(view.base)
    strides = [stride * step for stride, (_, step) in zip(whole, view.slices)]
    offset = sum(stride * start for stride, (start, _) in zip(whole, view.slices))
    target = memref_type(sizes, operand.element, strides, offset)
    if operand.dynamic:
        target = memref_type(_unknown(sizes), operand.element, _unknown(sizes), "?")
    starts = _list(indices.add(start) for start, _ in view.slices)
    steps = _list(indices.add(step) for _, step in view.slices)
    line = (
        f"%{name} = memref.subview %{operand.name}{starts} "
        f"{_list(map(indices.add, sizes))} {steps} : {argument_type(operand)} to {target}"
    )
    return line, target


def _write_lmad(operand, indices):
    """The operands and the LMAD of a tc.view."""
    view = operand.view
    if not operand.dynamic:
        return "", (
            f"<offset = {view.offset}, sizes = {_list(view.shape)}, "
            f"strides = {_list(view.strides)}>"
        )
    names = [indices.add(number) for number in (view.offset, *view.shape, *view.strides)]
    unknown = _list(_unknown(view.shape))
    return f" ({', '.join(names)})", f"<offset = ?, sizes = {unknown}, strides = {unknown}>"


def write_view(operand, indices):
    """(name of the value the op takes, the lines that make it)."""
    view, name = operand.view, operand.name
    argument, value = f"%{name}", f"%{name}_view"
    if view.form in ("dense", "layout"):
        return argument, []
    indices = indices if operand.dynamic else _Static()
    source_type, target_type = argument_type(operand), view_type(operand)
    types = f"{source_type} to {target_type}"
    if view.form == "reinterpret_cast":
        numbers = [
            _list(map(indices.add, part)) for part in ([view.offset], view.shape, view.strides)
        ]
        cast = "offset: {}, sizes: {}, strides: {}".format(*numbers)
        return value, [f"{value} = memref.reinterpret_cast {argument} to {cast} : {types}"]
    if view.form == "tc.view":
        names, lmad = _write_lmad(operand, indices)
        return value, [f"{value} = tc.view {argument}{names} {lmad} : {types}"]
    if view.form == "subview":
        return value, [_write_subview(operand, f"{name}_view", indices)[0]]
    lines = []
    if view.form == "transposed subview":
        line, source_type = _write_subview(operand, f"{name}_part", indices)
        lines, argument = [line], f"%{name}_part"
    dims = ", ".join(f"d{n}" for n in range(len(view.shape)))
    permuted = ", ".join(f"d{n}" for n in view.order)
    lines.append(
        f"{value} = memref.transpose {argument} ({dims}) -> ({permuted}) : "
        f"{source_type} to {target_type}"
    )
    return value, lines


def write_views(program, indices):
    """(values of the operands by name, the lines that make them)."""
    body, values = [], {}
    for operand in program.arguments():
        values[operand.name], lines = write_view(operand, indices)
        body += lines
    return values, body


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


def write_contract(term, values, indices):
    """Lines of one tc.contract."""
    space = ", ".join(f"{i.name} = {indices.extent(i)}" for i in term.iterators)
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
    indices = Indices()
    values, body = write_views(program, indices)
    body += write_contract(program.contraction, values, indices)
    return wrap(program, body, indices)


def write_sum_program(program):
    """A tc.sum, or its terms one after the other."""
    indices = Indices()
    values, body = write_views(program, indices)
    terms = [line for t in program.terms for line in write_contract(t, values, indices)]
    if program.form == "sum":
        terms = ["tc.sum {", *("  " + line for line in terms), "}"]
    return wrap(program, body + terms, indices)


def wrap(program, body, indices):
    """(text of the function, values of its index arguments)."""
    arguments = [f"%{o.name}: {argument_type(o)}" for o in program.arguments()]
    arguments += [f"%k{number}: index" for number in range(len(indices.values))]
    lines = [f"func.func @program({', '.join(arguments)}) {{"]
    lines += ["  " + line for line in body]
    return "\n".join([*lines, "  return", "}", ""]), indices.values
