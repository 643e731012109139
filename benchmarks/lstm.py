#!/usr/bin/env python3
"""A network of LSTM layers as a plain nest over (layer, step), scheduled by a script.

The program is that of Tiramisu's thesis (section 3.2, appendix B): a cell multiplies what the
layer below gives in this step, and what its own layer gave in the step before, by weights of
four gates, and updates its state. examples/transform/wavefront.mlir runs cells of one diagonal
together; the compiler makes one contraction of their products.

With --check the network runs on the emulator against NumPy, and against PyTorch where Python has
it, in f32 and f64. Without it, all launches are
counted at the thesis' size (100 steps, 512 features, a batch of 64), a few blocks of each.
Nothing is measured. Writes reports/lstm.csv and reports/lstm.md into the build folder, and with
--save also results/lstm.csv here.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import model
import numpy as np

HERE = os.path.dirname(os.path.realpath(__file__))
SCRIPT = os.path.join(HERE, "..", "examples", "transform", "wavefront.mlir")
GATES = "ifzo"  # input, forget, candidate, output
COLUMNS = ["layers", "steps", "features", "batch", "dtype", "chip", "launches", "counted_us"]
COLUMNS += ["floor_us"]
# The error of a result relative to its largest element: one rounding of an input a step.
BOUNDS = {"f32": 1e-5, "f64": 1e-13, "bf16": 1e-2}
PEAKS = {("sm_90a", "f32"): 66.9e12, ("sm_90a", "f64"): 33.5e12}  # flops a second, SIMT


def write_view(name, source, offsets, shape, dtype):
    """A slice of a whole array of two outer dimensions, or three, at offsets of these."""
    outer = len(source) - len(shape)
    sizes = ", ".join(map(str, [1] * outer + shape))
    starts = ", ".join([*offsets, *["0"] * (len(source) - len(offsets))])
    ones = ", ".join(["1"] * len(source))
    strides = [int(np.prod(source[d + 1 :])) for d in range(outer, len(source))]
    view = f"memref<{'x'.join(map(str, shape))}x{dtype}, strided<{strides}, offset: ?>>"
    whole = f"memref<{'x'.join(map(str, source))}x{dtype}>"
    array = {"x": "h", "w": "W", "g": "G"}[name]
    line = f"%{name} = memref.subview %{array}[{starts}] [{sizes}] [{ones}] : {whole} to {view}"
    return line, view


def write_gate(number, gate, dtype, total):
    """The value of a gate, from the sum of products and the bias."""
    lines = [
        f"%g{gate} = memref.load %G[%l, %gate{number}, %k, %i] : GATES",
        f"%b{gate} = memref.load %b[%l, %gate{number}, %i] : BIASES",
        f"%s{gate} = arith.addf %g{gate}, %b{gate} : {total}",
    ]
    if gate == "z":
        return [*lines, f"%a{gate} = math.tanh %s{gate} : {total}"]
    return [
        *lines,
        f"%n{gate} = arith.negf %s{gate} : {total}",
        f"%e{gate} = math.exp %n{gate} : {total}",
        f"%d{gate} = arith.addf %e{gate}, %one : {total}",
        f"%a{gate} = arith.divf %one, %d{gate} : {total}",
    ]


def write_program(layers, steps, batch, features, dtype):
    """The nest, in the order in which one would write it: `h[l + 1, s + 1]` is what layer `l`
    gives in step `s`, and `h[0]` the input. Sums and states of bf16 are f32."""
    total = "f32" if dtype == "bf16" else dtype
    shapes = {
        "W": [layers, 2, 4, features, features],
        "h": [layers + 1, steps + 1, batch, features],
        "G": [layers, 4, batch, features],
    }
    types = {
        "WEIGHTS": f"memref<{layers}x2x4x{features}x{features}x{dtype}>",
        "BIASES": f"memref<{layers}x4x{features}x{total}>",
        "HIDDEN": f"memref<{layers + 1}x{steps + 1}x{batch}x{features}x{dtype}>",
        "STATES": f"memref<{layers}x{steps + 1}x{batch}x{features}x{total}>",
        "GATES": f"memref<{layers}x4x{batch}x{features}x{total}>",
    }
    views = {
        "w": write_view("w", shapes["W"], ["%l"], shapes["W"][1:], dtype),
        "x": write_view("x", shapes["h"], ["%l", "%s"], [2, 2, batch, features], dtype),
        "g": write_view("g", shapes["G"], ["%l"], shapes["G"][1:], total),
    }
    body = [
        "%above = affine.apply affine_map<(d) -> (d + 1)>(%l)",
        "%next = affine.apply affine_map<(d) -> (d + 1)>(%s)",
        *(line for line, _ in views.values()),
    ]
    # `q` is 0 for the layer below in this step, 1 for this layer in the step before.
    body.append(
        f"tc.contract (g = 4, k = {batch}, i = {features}, q = 2, j = {features}) "
        f"ins(%w[q, g, i, j] : {views['w'][1]}, %x[q, 1 - q, k, j] : {views['x'][1]}) "
        f"outs(%g[g, k, i] : {views['g'][1]}) overwrite"
    )
    body.append(f"tc.par (%k, %i) = (0, 0) to ({batch}, {features}) {{")
    for number, gate in enumerate(GATES):
        body += write_gate(number, gate, dtype, total)
    narrow = [f"%out = arith.truncf %wide : {total} to {dtype}"] if total != dtype else []
    result = "%wide" if narrow else "%out"
    body += [
        "%old = memref.load %c[%l, %s, %k, %i] : STATES",
        f"%in = arith.mulf %ai, %az : {total}",
        f"%kept = arith.mulf %af, %old : {total}",
        f"%new = arith.addf %in, %kept : {total}",
        "memref.store %new, %c[%l, %next, %k, %i] : STATES",
        f"%t = math.tanh %new : {total}",
        f"{result} = arith.mulf %ao, %t : {total}",
        *narrow,
        "memref.store %out, %h[%above, %next, %k, %i] : HIDDEN",
        "}",
    ]
    text = "\n".join(
        [
            "func.func @lstm(%W: WEIGHTS, %b: BIASES, %h: HIDDEN, %c: STATES) {",
            f"%one = arith.constant 1.0 : {total}",
            *(f"%gate{number} = arith.constant {number} : index" for number in range(4)),
            "%G = tc.new : GATES",
            f"tc.seq (%l, %s) = (0, 0) to ({layers}, {steps}) {{",
            *body,
            "}",
            "return",
            "}",
        ]
    )
    for name, kind in types.items():
        text = text.replace(name, kind)
    return text


def run_tool(options, name, *arguments):
    run = subprocess.run(
        [os.path.join(options.build, "bin", name), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode != 0 or "error:" in run.stderr:
        raise RuntimeError(f"{name}: {run.stderr}")
    return run.stdout


def schedule(options, text, folder):
    """The file of the program as the script leaves it."""
    plain, scheduled = (os.path.join(folder, name) for name in ("plain.mlir", "wavefront.mlir"))
    with open(plain, "w", encoding="utf-8") as file:
        file.write(text)
    library = f"--transform-preload-library=transform-library-paths={SCRIPT}"
    run_tool(options, "tc-opt", plain, library, "--transform-interpreter", "-o", scheduled)
    return scheduled


def draw(layers, steps, batch, features, dtype, seed):
    """Weights, biases, values with the input as layer 0, and states."""
    rng = np.random.default_rng(seed)
    weights = rng.standard_normal((layers, 2, 4, features, features)) / np.sqrt(features)
    biases = rng.standard_normal((layers, 4, features)) / 8
    values = np.zeros((layers + 1, steps + 1, batch, features))
    values[0, 1:] = rng.standard_normal((steps, batch, features))
    states = np.zeros((layers, steps + 1, batch, features))
    if dtype == "bf16":
        weights, values = round_bf16(weights), round_bf16(values)
    return weights, biases, values, states


def round_bf16(array):
    bits = array.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).view(np.float32).astype(float)


def compute(weights, biases, values, states, dtype):
    """What the network gives, in f64; values are rounded where they are stored in bf16."""

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    values, states = values.copy(), states.copy()
    for layer in range(len(states)):
        for step in range(states.shape[1] - 1):
            below, before = values[layer, step + 1], values[layer + 1, step]
            i, f, z, o = (
                below @ weights[layer, 0, gate].T
                + before @ weights[layer, 1, gate].T
                + biases[layer, gate]
                for gate in range(4)
            )
            states[layer, step + 1] = sigmoid(i) * np.tanh(z) + sigmoid(f) * states[layer, step]
            given = sigmoid(o) * np.tanh(states[layer, step + 1])
            values[layer + 1, step + 1] = round_bf16(given) if dtype == "bf16" else given
    return values, states


def compute_by_torch(weights, biases, values, dtype):
    """What PyTorch's LSTM gives, on the CPU, for the same weights; None where it is missing."""
    try:
        import torch  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    if dtype not in ("f32", "f64"):
        return None
    layers, _, _, features, _ = weights.shape
    network = torch.nn.LSTM(features, features, num_layers=layers)
    network = network.to(torch.float32 if dtype == "f32" else torch.float64)
    state = network.state_dict()
    for layer in range(layers):
        for side, name in enumerate(("ih", "hh")):
            matrix = weights[layer, side].reshape(4 * features, features)
            state[f"weight_{name}_l{layer}"] = torch.from_numpy(matrix)
        state[f"bias_ih_l{layer}"] = torch.from_numpy(biases[layer].reshape(-1))
        state[f"bias_hh_l{layer}"] = torch.zeros(4 * features)
    network.load_state_dict(state)
    with torch.no_grad():
        given, _ = network(torch.from_numpy(values[0, 1:]).to(next(network.parameters()).dtype))
    return given.numpy().astype(float)


def store(array, path, dtype):
    """A file as tc-run reads it: bf16 as the bits of a number of 16 bits."""
    kinds = {"f32": np.float32, "f64": np.float64}
    if dtype == "bf16":
        array = (array.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        np.save(path, array.view("V2"))
    else:
        np.save(path, array.astype(kinds[dtype]))


def load(path, dtype):
    array = np.load(path)
    if dtype == "bf16":
        return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(float)
    return array.astype(float)


def check(options, layers, dtype):
    """(The largest error of values and states, relative to their largest element; against
    whom)."""
    sizes = (layers, options.steps, options.batch, options.features)
    total = "f32" if dtype == "bf16" else dtype
    arrays = draw(*sizes, dtype, options.seed)
    expected = compute(*arrays, dtype)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{name}.npy") for name in "Wbhc"]
        for array, path, kind in zip(arrays, paths, (dtype, total, dtype, total)):
            store(array, path, kind)
        results = [os.path.join(folder, f"{name}.npy") for name in ("values", "states")]
        scheduled = schedule(options, write_program(*sizes, dtype), folder)
        flags = [f"--chip={options.chip}", "--device=emulator", f"--checks={options.checks}"]
        flags += [f"--inputs={','.join(paths)}", f"--output={','.join(results)}"]
        run_tool(options, "tc-run", scheduled, *flags)
        found = [load(path, kind) for path, kind in zip(results, (dtype, total))]
    pairs = list(zip(found, expected))
    by_torch = compute_by_torch(*arrays[:3], dtype)
    if by_torch is not None:  # of the last layer
        pairs.append((found[0][-1, 1:], by_torch))
    worst = max(np.abs(a - b).max() / np.abs(b).max() for a, b in pairs)
    return worst, "NumPy" if by_torch is None else "NumPy and PyTorch"


def count(options, layers, dtype):
    """A row: all launches, and the least time that the products take."""
    sizes = (layers, options.steps, options.batch, options.features)
    with tempfile.TemporaryDirectory() as folder:
        scheduled = schedule(options, write_program(*sizes, dtype), folder)
        flags = [f"--chip={options.chip}", "--count", "--sample-blocks=1", "--report=json"]
        launches = json.loads(run_tool(options, "tc-run", scheduled, *flags))["counted"]
    flops = layers * options.steps * options.batch * 4 * options.features**2 * 2 * 2
    peak = PEAKS.get((options.chip, dtype))
    return {
        "layers": layers,
        "steps": options.steps,
        "features": options.features,
        "batch": options.batch,
        "dtype": dtype,
        "chip": options.chip,
        "launches": len(launches),
        "counted_us": f"{sum(launch['seconds'] for launch in launches) * 1e6:.0f}",
        "floor_us": f"{flops / peak * 1e6:.0f}" if peak else "",
    }


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--layers", default="4,8")
    parser.add_argument("--dtypes", default="f32,f64")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--features", type=int, default=512)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--check", action="store_true", help="run it, and compare with NumPy")
    parser.add_argument("--checks", default="all", help="of the emulator, with --check")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", action="store_true", help="write results/lstm.csv")
    return parser.parse_args()


def main():
    options = parse_arguments()
    rows, faults = [], 0
    for dtype in options.dtypes.split(","):
        for layers in map(int, options.layers.split(",")):
            if options.check:
                error, by = check(options, layers, dtype)
                faults += not error <= BOUNDS[dtype]
                print(
                    f"{layers} layers, {dtype}: error {error:.1e}, bound {BOUNDS[dtype]:.0e}, "
                    f"against {by}"
                )
                continue
            rows.append(count(options, layers, dtype))
            print(", ".join(f"{name} {value}" for name, value in rows[-1].items()), flush=True)
    if rows:
        title = "LSTM by a wavefront"
        model.write_reports("lstm", title, rows, [], options, COLUMNS)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
