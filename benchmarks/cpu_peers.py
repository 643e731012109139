"""Other libraries that contract NumPy's arrays on the CPU, as functions without arguments.

NumPy is always there; PyTorch, pytblis (the contractions of TBLIS) and etops (einsum_ir,
on LIBXSMM) take part where they are installed. Each gets the arrays as they lie, and
allocates its result. What a library prepares once for a problem is not timed."""

import importlib
import importlib.util

NAMES = ("torch", "pytblis", "etops")


def find(wanted):
    """Those of `wanted` that are installed, as modules by name."""
    return {
        name: importlib.import_module(name) for name in wanted if importlib.util.find_spec(name)
    }


def describe(modules, wanted):
    """Who takes part, and who does not."""
    found = [f"{name} {getattr(module, '__version__', '')}".strip() for name, module in modules.items()]
    missing = [name for name in wanted if name not in modules]
    return f"other peers: {', '.join(found) or 'none'}; not installed: {', '.join(missing) or 'none'}"


def set_threads(modules, count):
    """etops takes the number with each problem."""
    if "torch" in modules:
        modules["torch"].set_num_threads(count)
    if "pytblis" in modules:
        modules["pytblis"].set_num_threads(count)


def contenders(modules, np, einsum, sizes, operands, threads):
    """Functions by the name of the library. One that cannot do the problem is left out."""
    calls = {}
    if "torch" in modules:
        torch = modules["torch"]
        tensors = [torch.from_numpy(operand) for operand in operands]
        calls["torch"] = lambda: torch.einsum(einsum, *tensors).numpy()
    if "pytblis" in modules:
        calls["pytblis"] = lambda: modules["pytblis"].einsum(einsum, *operands)
    if "etops" in modules:
        call = _make_etops(modules["etops"], np, einsum, sizes, operands, threads)
        if call:
            calls["etops"] = call
    return calls


def _make_etops(etops, np, einsum, sizes, operands, threads):
    """None where it has no such operation: other than two operands, sums of one of them,
    an element type, what its optimizer refuses."""
    inputs, output = einsum.split("->")
    terms = [*inputs.split(","), output]
    kinds = {(1, 0, 1): "m", (0, 1, 1): "n", (1, 1, 0): "k", (1, 1, 1): "c"}
    labels = sorted(set("".join(terms)))
    if len(terms) != 3 or any(len(set(term)) != len(term) for term in terms):
        return None
    classes = [kinds.get(tuple(int(label in term) for term in terms)) for label in labels]
    types = {"float32": etops.float32, "float64": etops.float64}
    if None in classes or operands[0].dtype.name not in types:
        return None
    shape = [sizes[label] for label in output]
    config = etops.TensorOperationConfig(
        data_type=types[operands[0].dtype.name],
        prim_first=etops.prim.zero,
        prim_main=etops.prim.gemm,
        prim_last=etops.prim.none,
        dim_types=tuple(getattr(etops.dim, kind) for kind in classes),
        exec_types=(etops.exec.seq,) * len(labels),
        dim_sizes=tuple(sizes[label] for label in labels),
        strides=(tuple(_strides(term, labels, sizes) for term in terms),),
    )
    options = etops.backend.tpp.get_default_optimization_config()
    options["num_threads"] = threads
    try:
        operation = etops.TensorOperation(etops.optimize(config, options))
    except RuntimeError:
        return None

    # Its bindings take arrays of float32, and would copy others into such: the operation
    # gets the bytes of its own type, under that name.
    def as_bound(array):
        return array.reshape(-1).view(np.float32)

    inputs = [as_bound(operand) for operand in operands]

    def call():
        result = np.empty(shape, operands[0].dtype)
        operation.execute(*inputs, as_bound(result))
        return result

    return call


def _strides(term, labels, sizes):
    """Of a row-major array, in elements, for each of `labels`."""
    strides, step = dict.fromkeys(labels, 0), 1
    for label in reversed(term):
        strides[label] = step
        step *= sizes[label]
    return tuple(strides[label] for label in labels)
