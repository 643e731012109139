"""Random programs of several `linalg.generic` on tensors, one after the other: products
and sums, largest elements, element-wise steps, with and without broadcasts. All values
are whole numbers that the type holds, so NumPy's result is the only right one."""

import io

import numpy

EXTENTS = (1, 2, 3, 3, 4, 5, 7, 8, 16, 17)
MOST_POINTS, MOST_ELEMENTS = 20000, 4000
TYPES = {"f32": ("f4", 1 << 24), "f64": ("f8", 1 << 53), "i32": ("i4", (1 << 31) - 1)}
LOWEST = {"f32": "0xFF800000", "f64": "0xFFF0000000000000", "i32": "-2147483648"}


class Step:
    """One `linalg.generic`: the value is `function` of `inputs`, over `labels`."""

    def __init__(self, kind, inputs, terms, output, extents):
        self.kind, self.inputs, self.terms, self.output = kind, inputs, terms, output
        self.extents = extents

    def is_sum(self):
        return self.kind in ("product", "largest")

    def evaluate(self, values, lowest):
        """The value, and the largest magnitude that any order of its sums meets."""
        given = [values[name].astype("f8") for name in self.inputs]
        subscripts = ",".join(self.terms) + "->" + self.output
        if self.kind == "product":
            return (
                numpy.einsum(subscripts, *given),
                numpy.einsum(subscripts, *map(numpy.abs, given)).max(initial=0),
            )
        wide = [self._spread(value, term) for value, term in zip(given, self.terms)]
        functions = {
            "add": lambda a, b: a + b,
            "times": lambda a, b: a * b,
            "maximum": numpy.maximum,
            "relu": lambda a: numpy.maximum(a, 0),
            "negate": lambda a: -a,
            "copy": lambda a: a,
            "largest": lambda a: a,
        }
        result = functions[self.kind](*wide)
        if self.kind == "largest":
            gone = tuple(n for n, l in enumerate(self.extents) if l not in self.output)
            result = result.max(axis=gone, initial=lowest)
            labels = [label for label in self.extents if label in self.output]
        else:
            labels = list(self.extents)
        result = result.transpose([labels.index(label) for label in self.output])
        finite = result[numpy.isfinite(result)]
        return result, numpy.abs(finite).max(initial=0)

    def _spread(self, value, term):
        """The value over all labels, in their order."""
        order = [term.index(label) for label in self.extents if label in term]
        shape = [extent if label in term else 1 for label, extent in self.extents.items()]
        value = value.transpose(order).reshape(shape)
        return numpy.broadcast_to(value, list(self.extents.values()))

    def write(self, number, shapes, dtype):
        names = {label: f"d{n}" for n, label in enumerate(self.extents)}
        space = ", ".join(names.values())
        maps = ", ".join(
            f"affine_map<({space}) -> ({', '.join(names[l] for l in term)})>"
            for term in [*self.terms, self.output]
        )
        kinds = ", ".join(
            '"parallel"' if label in self.output else '"reduction"' for label in self.extents
        )
        result = tensor([self.extents[label] for label in self.output], dtype)
        types = ", ".join(tensor(shapes[name], dtype) for name in self.inputs)
        start = f"%e{number}"
        lines = [f"%e{number} = tensor.empty() : {result}"]
        if self.is_sum():
            start, first = f"%f{number}", "%lowest" if self.kind == "largest" else "%zero"
            lines += [f"{start} = linalg.fill ins({first} : {dtype}) outs(%e{number} :"
                      f" {result}) -> {result}"]  # fmt: skip
        arguments = ", ".join(f"%x{n}: {dtype}" for n in range(len(self.inputs)))
        inputs = ", ".join(f"%{name}" for name in self.inputs)
        lines += [
            f"%v{number} = linalg.generic {{indexing_maps = [{maps}], iterator_types ="
            f" [{kinds}]}} ins({inputs} : {types}) outs({start} : {result}) {{",
            f"^bb0({arguments}, %old: {dtype}):",
            *self._body(dtype),
            f"  linalg.yield %y : {dtype}",
            f"}} -> {result}",
        ]
        return lines

    def _body(self, dtype):
        letter, most = ("i", "maxsi") if dtype[0] == "i" else ("f", "maximumf")
        rest = f": {dtype}"
        return {
            "product": [f"  %p = arith.mul{letter} %x0, %x1 {rest}"] * (len(self.inputs) > 1)
            + [f"  %y = arith.add{letter} %old, {'%p' if len(self.inputs) > 1 else '%x0'} {rest}"],
            "largest": [f"  %y = arith.{most} %old, %x0 {rest}"],
            "add": [f"  %y = arith.add{letter} %x0, %x1 {rest}"],
            "times": [f"  %y = arith.mul{letter} %x0, %x1 {rest}"],
            "maximum": [f"  %y = arith.{most} %x0, %x1 {rest}"],
            "relu": [f"  %y = arith.{most} %x0, %zero {rest}"],
            "negate": [f"  %y = arith.sub{letter} %zero, %x0 {rest}"],
            "copy": [f"  %y = arith.add{letter} %x0, %zero {rest}"],
        }[self.kind]


def tensor(shape, dtype):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + f"{dtype}>"


def _points(extents):
    return int(numpy.prod(list(extents.values()), dtype="i8"))


def _label(rng, shape, extents, share):
    """Labels of a value's dimensions; some are those of `extents` that fit."""
    term = ""
    for extent in shape:
        fit = [l for l, e in extents.items() if e == extent and l not in term]
        label = rng.choice(fit) if fit and rng.random() < share else "abcdefgh"[len(extents)]
        extents[label] = extent
        term += label
    return term


def draw_step(rng, values):
    kind = rng.choice(
        ["product"] * 4 + ["largest"] * 2 + "add times maximum relu negate copy".split()
    )
    names = list(values)
    # What was made last is used most.
    pick = lambda: names[-1 - min(int(rng.expovariate(0.7)), len(names) - 1)]
    count = {"product": rng.choice((1, 2, 2, 2)), "add": 2, "times": 2, "maximum": 2}.get(kind, 1)
    inputs = [pick() for _ in range(count)]
    if kind not in ("product", "largest"):
        inputs.sort(key=lambda name: -values[name].ndim)
    extents, terms = {}, []
    for name in inputs:
        if len(extents) + values[name].ndim > 6:
            return None
        terms.append(_label(rng, values[name].shape, extents, 0.8 if terms else 0))
    labels = list(extents)
    rng.shuffle(labels)
    if kind in ("product", "largest"):
        gone = rng.randint(min(1, len(labels)), len(labels))
        labels = labels[gone:] if rng.random() < 0.8 else labels
    step = Step(kind, inputs, terms, "".join(labels), extents)
    size = _points({label: extents[label] for label in labels})
    return step if _points(extents) <= MOST_POINTS and size <= MOST_ELEMENTS else None


class Program:
    def __init__(self, dtype, arguments, steps, results):
        self.dtype, self.arguments = dtype, arguments  # name to array
        self.steps, self.results = steps, results  # number to step; numbers

    def write(self):
        shapes = {name: array.shape for name, array in self.arguments.items()}
        arguments = ", ".join(f"%{n}: {tensor(s, self.dtype)}" for n, s in shapes.items())
        lines = []
        for number, step in self.steps.items():
            lines += step.write(number, shapes, self.dtype)
            shapes[f"v{number}"] = [step.extents[label] for label in step.output]
        types = ", ".join(tensor(shapes[f"v{number}"], self.dtype) for number in self.results)
        zero = "0" if self.dtype[0] == "i" else "0.0"
        head = [
            f"func.func @program({arguments}) -> ({types}) {{",
            f"%zero = arith.constant {zero} : {self.dtype}",
            f"%lowest = arith.constant {LOWEST[self.dtype]} : {self.dtype}",
        ]
        values = ", ".join(f"%v{number}" for number in self.results)
        return "\n".join([*head, *lines, f"return {values} : {types}", "}", ""])

    def evaluate(self):
        """Name to array, or None when a sum does not fit into the type."""
        dtype, most = TYPES[self.dtype]
        lowest = -(1 << 31) if self.dtype == "i32" else -numpy.inf
        values = dict(self.arguments)
        for number, step in self.steps.items():
            value, magnitude = step.evaluate(values, lowest)
            if magnitude > most or not numpy.isfinite(value).all():
                return None
            values[f"v{number}"] = value.astype(dtype)
        return values

    def only(self, number):
        """The program whose one result is that step, with what that needs."""
        needed, names = {}, {f"v{number}"}
        for other, step in reversed(self.steps.items()):
            if f"v{other}" in names:
                needed[other] = step
                names |= set(step.inputs)
        arguments = {name: array for name, array in self.arguments.items() if name in names}
        return Program(self.dtype, arguments, dict(reversed(needed.items())), [number])

    def files(self):
        """The text, the arguments, and what NumPy makes of them."""
        values = self.evaluate()
        files = {"program.mlir": self.write().encode()}
        for n, array in enumerate(self.arguments.values()):
            files[f"in{n}.npy"] = to_file(array)
        for n, number in enumerate(self.results):
            files[f"want{n}.npy"] = to_file(values[f"v{number}"])
        return files


def to_file(array):
    file = io.BytesIO()
    numpy.save(file, numpy.ascontiguousarray(array).reshape(array.shape))
    return file.getvalue()


def draw_program(rng):
    dtype = rng.choice(list(TYPES))
    arguments = {}
    for n in range(rng.randint(1, 3)):
        shape = [rng.choice(EXTENTS) for _ in range(rng.randint(1, 3))]
        data = numpy.random.default_rng(rng.randrange(1 << 30)).integers(-2, 3, shape)
        arguments[f"a{n}"] = data.astype(TYPES[dtype][0])
    program = Program(dtype, arguments, {}, [])
    values = dict(arguments)
    for _ in range(rng.randint(2, 7)):
        step = draw_step(rng, values)
        if step is None:
            continue
        number = len(program.steps)
        program.steps[number] = step
        evaluated = program.evaluate()
        if evaluated is None:
            del program.steps[number]
        else:
            values = evaluated
    if not program.steps:
        return draw_program(rng)
    last = len(program.steps) - 1
    program.results = sorted({last, rng.randint(0, last)} if rng.random() < 0.4 else {last})
    used = {name for step in program.steps.values() for name in step.inputs}
    program.arguments = {n: a for n, a in arguments.items() if n in used}
    return program
