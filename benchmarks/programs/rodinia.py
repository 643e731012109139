"""Programs of Rodinia (Che et al., "Rodinia: a benchmark suite for heterogeneous computing",
IISWC 2009), with the data sets of the study."""

import numpy as np

from .case import Program


def describe_pathfinder(batches, rows, columns):
    return {
        "walls": (np.int32, (batches, rows, columns)),
        "least": (np.int32, (batches, columns)),
    }


def fill_pathfinder(rng, batches, rows, columns):
    return {"walls": rng.integers(0, 10, (batches, rows, columns))}


def solve_pathfinder(walls, **_):
    """Row by row the least of three ways, and the weight."""
    costs = walls[:, 0].astype(np.int64)
    for row in range(1, walls.shape[1]):
        ways = np.pad(costs, ((0, 0), (1, 1)), mode="edge")
        costs = np.minimum(np.minimum(ways[:, :-2], costs), ways[:, 2:]) + walls[:, row]
    return {"least": costs}


PATHFINDER = Program(
    name="pathfinder",
    describe=describe_pathfinder,
    fill=fill_pathfinder,
    reference=solve_pathfinder,
    results=("least",),
    test={"batches": 3, "rows": 9, "columns": 150},
    full={
        "D1": {"batches": 1, "rows": 100, "columns": 100096},
        "D2": {"batches": 391, "rows": 100, "columns": 256},
    },
    bound=0.0,
)


def describe_nn(sets, size, count):
    return {
        "count": (np.int64, count),
        "lats": (np.float32, (sets,)),
        "lngs": (np.float32, (sets,)),
        "all_lats": (np.float32, (sets, size)),
        "all_lngs": (np.float32, (sets, size)),
        "places": (np.int32, (sets, count)),
        "nearest": (np.float32, (sets, count)),
    }


def fill_nn(rng, sets, size, count):
    """Degrees, no two of which are close: places must not depend on rounding."""
    lats = rng.permuted(np.tile(np.linspace(-90, 90, size), (sets, 1)), axis=1)
    return {
        "lats": rng.uniform(-1, 1, sets),
        "lngs": rng.uniform(-1, 1, sets),
        "all_lats": lats,
        "all_lngs": rng.uniform(-180, 180, (sets, size)),
    }


def solve_nn(count, lats, lngs, all_lats, all_lngs, **_):
    """All distances, in order."""
    points = [np.float64(x)[:, None] for x in (lats, lngs)]
    distances = np.hypot(points[0] - all_lats, points[1] - all_lngs)
    places = np.argsort(distances, axis=1, kind="stable")[:, : int(count)]
    return {"places": places, "nearest": np.take_along_axis(distances, places, axis=1)}


NN = Program(
    name="nn",
    describe=describe_nn,
    fill=fill_nn,
    reference=solve_nn,
    results=("places", "nearest"),
    test={"sets": 5, "size": 150, "count": 4},
    full={
        "D1": {"sets": 1, "size": 855280, "count": 100},
        "D2": {"sets": 4096, "size": 128, "count": 100},
    },
    bound=1e-6,
)


def describe_srad(images, rows, columns, steps):
    return {
        "steps": (np.int64, steps),
        "images": (np.int8, (images, rows, columns)),
        "result": (np.float32, (images, rows, columns)),
    }


def fill_srad(rng, images, rows, columns, steps):
    """A slope with speckles: bytes from 0 to 255, which the program reads as such."""
    slope = np.linspace(40, 200, columns) * rng.gamma(16, 1 / 16, (images, rows, columns))
    return {"images": np.clip(slope, 0, 255).astype(np.uint8).view(np.int8)}


def solve_srad(steps, images, **_):
    """Explicit steps of the diffusion equation of Yu and Acton."""
    x = np.exp(images.view(np.uint8) / 255.0)
    for _step in range(int(steps)):
        mean = x.mean(axis=(1, 2), keepdims=True)
        q0 = x.var(axis=(1, 2), keepdims=True) / mean**2
        ring = np.pad(x, ((0, 0), (1, 1), (1, 1)), mode="edge")
        sides = [ring[:, :-2, 1:-1], ring[:, 2:, 1:-1], ring[:, 1:-1, :-2], ring[:, 1:-1, 2:]]
        north, south, west, east = (side - x for side in sides)
        gradient2 = (north**2 + south**2 + west**2 + east**2) / x**2
        laplace = (north + south + west + east) / x
        q = (0.5 * gradient2 - laplace**2 / 16) / (1 + 0.25 * laplace) ** 2
        c = np.clip(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0, 1)
        below = np.concatenate([c[:, 1:], c[:, -1:]], axis=1)
        behind = np.concatenate([c[:, :, 1:], c[:, :, -1:]], axis=2)
        x = x + 0.125 * (c * north + below * south + c * west + behind * east)
    return {"result": 255 * np.log(x)}


SRAD = Program(
    name="srad",
    describe=describe_srad,
    fill=fill_srad,
    reference=solve_srad,
    results=("result",),
    test={"images": 3, "rows": 18, "columns": 21, "steps": 3},
    full={
        "D1": {"images": 1, "rows": 502, "columns": 458, "steps": 100},
        "D2": {"images": 1024, "rows": 16, "columns": 16, "steps": 100},
    },
    bound=1e-4,
)


def describe_nw(size):
    return {
        "penalties": (np.int32, (1,)),
        "similar": (np.int32, (size + 1, size + 1)),
        "scores": (np.int32, (size + 1, size + 1)),
    }


def fill_nw(rng, size):
    """As similar as residues in BLOSUM62."""
    return {"penalties": 10, "similar": rng.integers(-4, 12, (size + 1, size + 1))}


def solve_nw(penalties, similar, **_):
    """Row by row; along a row, gaps are a running maximum."""
    size1, penalty = len(similar), int(penalties[0])
    gaps = penalty * np.arange(size1)
    scores = np.zeros((size1, size1), np.int64)
    scores[0] = -gaps
    for i in range(1, size1):
        best = np.maximum(scores[i - 1, :-1] + similar[i, 1:], scores[i - 1, 1:] - penalty)
        row = np.concatenate([[-i * penalty], best])
        scores[i] = np.maximum.accumulate(row + gaps) - gaps
    return {"scores": scores}


NW = Program(
    name="nw",
    describe=describe_nw,
    fill=fill_nw,
    reference=solve_nw,
    results=("scores",),
    test={"size": 96},
    full={"D1": {"size": 2048}, "D2": {"size": 1024}},
    bound=0.0,
)


def describe_lavamd(boxes, particles):
    box = (boxes, boxes, boxes, particles)
    return {
        "alphas": (np.float32, (1,)),
        "places": (np.float32, (*box, 4)),
        "charges": (np.float32, box),
        "forces": (np.float32, (*box, 4)),
    }


def fill_lavamd(rng, boxes, particles):
    box = (boxes, boxes, boxes, particles)
    return {
        "alphas": 0.5,
        "places": rng.uniform(0.1, 1, (*box, 4)),
        "charges": rng.uniform(0.1, 1, box),
    }


def solve_lavamd(alphas, places, charges, **_):
    """All pairs of each box and one of its neighbours at a time."""
    boxes = len(places)
    places, charges = np.float64(places), np.float64(charges)
    forces = np.zeros(places.shape)
    offsets = [np.array(offset) - 1 for offset in np.ndindex(3, 3, 3)]
    for box in np.ndindex(boxes, boxes, boxes):
        near = [tuple(box + offset) for offset in offsets]
        for other in (n for n in near if min(n) >= 0 and max(n) < boxes):
            a, b = places[box][:, None], places[other][None, :]
            r2 = a[..., 0] + b[..., 0] - np.sum(a[..., 1:] * b[..., 1:], axis=-1)
            v = charges[other] * np.exp(-2 * np.float64(alphas[0]) ** 2 * r2)
            forces[box][:, 0] += v.sum(axis=1)
            forces[box][:, 1:] += np.sum(2 * v[..., None] * (a - b)[..., 1:], axis=1)
    return {"forces": forces}


LAVAMD = Program(
    name="lavamd",
    describe=describe_lavamd,
    fill=fill_lavamd,
    reference=solve_lavamd,
    results=("forces",),
    test={"boxes": 3, "particles": 5},
    full={"D1": {"boxes": 10, "particles": 50}, "D2": {"boxes": 3, "particles": 50}},
    bound=1e-5,
)


def describe_backprop(inputs, hidden, outputs):
    weights = {"w1": (inputs + 1, hidden), "w2": (hidden + 1, outputs)}
    shapes = {"input": (inputs + 1,), "target": (outputs,), **weights}
    shapes |= {"old1": weights["w1"], "old2": weights["w2"], "errors": (), "hidden_errors": ()}
    return {name: (np.float32, shape) for name, shape in shapes.items()}


def fill_backprop(rng, inputs, hidden, outputs):
    """Weights as small as sums of many of them want; the first input is that of the bias."""
    values = {
        name: rng.uniform(-1, 1, shape)
        for name, (_, shape) in describe_backprop(inputs, hidden, outputs).items()
    }
    values["input"] = np.concatenate([[1], rng.uniform(0, 1, inputs)])
    values["target"] = np.full(outputs, 0.1)
    values["w1"] /= np.sqrt(inputs)
    return values


def solve_backprop(input, target, w1, w2, old1, old2, **_):  # noqa: A002
    input, target, w1, w2 = map(np.float64, (input, target, w1, w2))

    def squash(x):
        return 1 / (1 + np.exp(-x))

    hidden = np.concatenate([[1], squash(input @ w1)])
    output = squash(hidden @ w2)
    output_deltas = output * (1 - output) * (target - output)
    hidden_deltas = hidden[1:] * (1 - hidden[1:]) * (w2[1:] @ output_deltas)
    change1 = 0.3 * np.outer(input, hidden_deltas) + 0.3 * old1
    change2 = 0.3 * np.outer(hidden, output_deltas) + 0.3 * old2
    return {
        "w1": w1 + change1,
        "w2": w2 + change2,
        "old1": change1,
        "old2": change2,
        "errors": np.abs(output_deltas).sum(),
        "hidden_errors": np.abs(hidden_deltas).sum(),
    }


BACKPROP = Program(
    name="backprop",
    describe=describe_backprop,
    fill=fill_backprop,
    reference=solve_backprop,
    results=("w1", "w2", "old1", "old2", "errors", "hidden_errors"),
    test={"inputs": 200, "hidden": 16, "outputs": 2},
    full={
        "D1": {"inputs": 2**14, "hidden": 16, "outputs": 1},
        "D2": {"inputs": 2**20, "hidden": 16, "outputs": 1},
    },
    bound=1e-5,
)

ALL = [BACKPROP, LAVAMD, NW, NN, SRAD, PATHFINDER]
