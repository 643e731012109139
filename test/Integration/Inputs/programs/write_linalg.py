"""The text of programs of linalg ops."""

from dataclasses import replace

from .expressions import Emitter, apply, argument, convert, format_constant
from .named_ops import RESHAPES
from .write import Indices, format_subscript, memref_type, view_type, wrap, write_views


def _tensor_type(operand):
    return memref_type(operand.view.base, operand.element).replace("memref", "tensor")


def _map_of(names, subscripts):
    inside = ", ".join(map(format_subscript, subscripts))
    return f"affine_map<({', '.join(names)}) -> ({inside})>"


def _constant(name, value, element):
    text = format_constant(value, element)
    if element.kind == "complex":
        return f"{name} = complex.constant {text} : {element}"
    return f"{name} = arith.constant {text}"


def _neutral(term):
    if term.combine:
        return term.combine.neutral[0]
    return 0


def _region_lines(block, lines, yielded, element):
    return [f"^bb0({block}):", *("  " + line for line in lines), f"  linalg.yield {yielded} : {element}"]


def _body(term):
    """The block of the contraction: convert, map, combine with the old value."""
    element = term.results[0].element
    names = [f"%x{n}" for n in range(len(term.inputs))]
    emitter = Emitter("v")
    if term.map:
        mapped = term.map[0]
    else:
        mapped = _product(term)
    value = emitter.emit(mapped, names)
    pair = ["%z", value]
    if term.combine:
        result = emitter.emit(term.combine.expressions[0], pair)
    else:
        result = emitter.emit(apply("add", argument(0, element), argument(1, element)), pair)
    block = ", ".join(f"{n}: {o.element}" for n, o in zip(names, term.inputs))
    return _region_lines(f"{block}, %z: {element}", emitter.lines, result, element)


def _product(term):
    element = term.results[0].element
    factors = [convert(argument(n, o.element), element) for n, o in enumerate(term.inputs)]
    product = factors[0]
    for factor in factors[1:]:
        product = apply("multiply", product, factor)
    return product


def _generic(term, values, types, target):
    """Lines of the linalg.generic of a contraction; `target` is (value, type, result)."""
    names = [iterator.name for iterator in term.iterators]
    operands = [*term.inputs, term.results[0]]
    maps = ", ".join(_map_of(names, operand.subscripts) for operand in operands)
    kinds = ", ".join(
        '"parallel"' if name in term.result_names() else '"reduction"' for name in names
    )
    value, target_type, result = target
    lines = [
        f"{result}linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}",
        f"    ins({', '.join(values)} : {', '.join(types)}) outs({value} : {target_type}) {{",
        *("    " + line for line in _body(term)),
        f"}}{f' -> {target_type}' if result else ''}",
    ]
    return lines


def _fill(term, value, target_type, result=""):
    element = term.results[0].element
    arrow = f" -> {target_type}" if result else ""
    return [
        _constant("%neutral", _neutral(term), element),
        f"{result}linalg.fill ins(%neutral : {element}) outs({value} : {target_type}){arrow}",
    ]


def _adds_up(program):
    """Does the op read the old result? Then it is filled before."""
    return program.detail("op") not in ("linalg.transpose", "linalg.broadcast", "linalg.copy")


def _attributes(program):
    parts = []
    for name in ("dilations", "strides"):
        numbers = program.detail(name)
        if numbers:
            parts.append(f"{name} = dense<{list(numbers)}> : vector<{len(numbers)}xi64>")
    return f" {{{', '.join(parts)}}}" if parts else ""


def _op_lines(program, values, types, target):
    """The op of a program: a generic, or a named one."""
    term = program.contraction
    name = program.detail("op")
    if name is None:
        return _generic(term, values, types, target)
    value, target_type, result = target
    arrow = f" -> {target_type}" if result else ""
    if name in RESHAPES:
        return _reshape_lines(name, term, (values[0], list(types)[0]), target, arrow)
    return [
        f"{result}{name}{_attributes(program)} ins({', '.join(values)} : {', '.join(types)}) "
        f"outs({value} : {target_type}){arrow}"
    ]


def _reshape_lines(name, term, source, target, arrow):
    """An op that says what it does with dimensions; a reduction has a region."""
    value, target_type, result = target
    element = term.results[0].element
    line = (
        f"ins({source[0]} : {source[1]}) outs({value} : {target_type}) {RESHAPES[name][2]}"
    ).rstrip()
    if name == "linalg.copy":
        return [f"{result}{name} {line}{arrow}"]
    if name != "linalg.reduce":
        return [f"{result}{name} {line}"]
    emitter = Emitter("v")
    pair = apply("add", argument(0, element), argument(1, element))
    total = emitter.emit(pair, ["%x", "%z"])
    return [
        f"{result}{name} {line}",
        f"    (%x: {element}, %z: {element}) {{",
        *("      " + inner for inner in emitter.lines),
        f"      linalg.yield {total} : {element}",
        "    }",
    ]


def write_on_memrefs(program):
    term, indices = program.contraction, Indices()
    values, body = write_views(program, indices)
    result = term.results[0]
    if term.overwrite and _adds_up(program):
        body += _fill(term, values[result.name], view_type(result))
    inputs = [values[operand.name] for operand in term.inputs]
    target = (values[result.name], view_type(result), "")
    body += _op_lines(program, inputs, map(view_type, term.inputs), target)
    return wrap(program, body, indices)


def _wrap_tensors(program, body, returned):
    arguments = ", ".join(f"%{o.name}: {_tensor_type(o)}" for o in program.arguments())
    result = _tensor_type(program.contraction.results[0])
    lines = [f"func.func @program({arguments}) -> {result} {{", *("  " + b for b in body)]
    return "\n".join([*lines, f"  return {returned} : {result}", "}", ""]), []


def _tensor_view(operand):
    """(value, type, lines) of an argument or a slice of it."""
    view, source_type = operand.view, _tensor_type(operand)
    if view.form == "dense":
        return f"%{operand.name}", source_type, []
    value = f"%{operand.name}_view"
    target_type = memref_type(view.shape, operand.element).replace("memref", "tensor")
    starts, steps = ([slices[n] for slices in view.slices] for n in (0, 1))
    return value, target_type, [
        f"{value} = tensor.extract_slice %{operand.name}{starts} {list(view.shape)} {steps} : "
        f"{source_type} to {target_type}"
    ]


def write_on_tensors(program):
    term = program.contraction
    result = term.results[0]
    target_type, target, body = _tensor_type(result), f"%{result.name}", []
    if term.overwrite and _adds_up(program):
        body += _fill(term, target, target_type, "%filled = ")
        target = "%filled"
    values, types = [], []
    for operand in term.inputs:
        value, type_text, lines = _tensor_view(operand)
        values.append(value)
        types.append(type_text)
        body += lines
    body += _op_lines(program, values, types, (target, target_type, "%result = "))
    return _wrap_tensors(program, body, "%result")


def _elementwise(names, operands, expression, target_type, result):
    """Lines of a linalg.generic over `names`; operands are (value, type, element,
    subscripts), the first one is of the space itself."""
    maps = [_map_of(names, subscripts) for _, _, _, subscripts in operands]
    maps.append(_map_of(names, operands[0][3]))
    kinds = ", ".join(['"parallel"'] * len(names))
    block_names = [f"%x{n}" for n in range(len(operands))]
    emitter = Emitter("v")
    value = emitter.emit(expression, block_names)
    block = ", ".join(f"{n}: {o[2]}" for n, o in zip(block_names, operands))
    block += f", %z: {expression.element}"
    values, types = ", ".join(o[0] for o in operands), ", ".join(o[1] for o in operands)
    return [
        f"{result}_empty = tensor.empty() : {target_type}",
        f"{result} = linalg.generic {{indexing_maps = [{', '.join(maps)}], "
        f"iterator_types = [{kinds}]}}",
        f"    ins({values} : {types}) outs({result}_empty : {target_type}) {{",
        *("    " + line for line in _region_lines(block, emitter.lines, value, expression.element)),
        f"}} -> {target_type}",
    ]


def _write_producer(operand, expression):
    """An element-wise op on the operand; (value, operand as it is then, lines)."""
    made = replace(operand, element=expression.element)
    names = [f"d{n}" for n in range(len(operand.subscripts))]
    subscripts = [_Plain(name) for name in names]
    source = (f"%{operand.name}", _tensor_type(operand), operand.element, subscripts)
    value = f"%{operand.name}_made"
    return value, made, _elementwise(names, [source], expression, _tensor_type(made), value)


class _Plain:
    """A subscript that is one iterator."""

    def __init__(self, name):
        self.terms, self.constant = ((name, 1),), 0


def write_fused(program):
    """Producers, the contraction, consumers: one linalg.generic each."""
    term, body, values, inputs = program.contraction, [], [], []
    for operand, expression in zip(term.inputs, program.detail("producers")):
        value = f"%{operand.name}"
        if expression is not None:
            value, operand, lines = _write_producer(operand, expression)
            body += lines
        values.append(value)
        inputs.append(operand)
    inner = term.accumulators()[0]
    middle = replace(term.results[0], element=inner)
    plain = replace(
        term, inputs=tuple(inputs), results=(middle,), map=(), sides=(), epilogue=()
    )
    middle_type = _tensor_type(middle)
    body.append(f"%empty = tensor.empty() : {middle_type}")
    body += _fill(plain, "%empty", middle_type, "%filled = ")
    types = [_tensor_type(operand) for operand in inputs]
    body += _generic(plain, values, types, ("%filled", middle_type, "%c = "))
    return _wrap_tensors(program, *_write_consumers(program, body, middle))


def _write_consumers(program, body, middle):
    term = program.contraction
    names = [name for subscript in middle.subscripts for name in subscript.names]
    sides = {side.name: side for side in term.sides}
    value = "%c"
    for number, (expression, own) in enumerate(program.detail("consumers")):
        operands = [(value, _tensor_type(middle), middle.element, middle.subscripts)]
        operands += [
            (f"%{n}", _tensor_type(sides[n]), sides[n].element, sides[n].subscripts) for n in own
        ]
        middle = replace(middle, element=expression.element)
        value = f"%e{number}"
        body += _elementwise(names, operands, expression, _tensor_type(middle), value)
    return body, value
