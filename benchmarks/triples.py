"""The triples correction of CCSD(T), for which sums of several contractions are made.

The result of the `sd1`, `sd2` and `s1` problems of cases/contractions.json is one array,
written by all of them: one `tc.sum` instead of a kernel for each.
"""

import problems

# Names of the terms begin with these; those of singles have no sum.
DOUBLES = ("sd1_", "sd2_")
ALL = (*DOUBLES, "s1_")
# By the antisymmetry of the amplitudes, these are subtracted: the terms that NWChem's
# sd_t_d1_1 to 9, sd_t_d2_1 to 9 and sd_t_s1_1 to 9 take away.
SUBTRACTED = {
    *(f"sd1_{n}" for n in (1, 3, 4, 6, 8)),
    *(f"sd2_{n}" for n in (1, 2, 6, 7, 8)),
    *(f"s1_{n}" for n in (2, 4, 6, 8)),
}

# Extents of the benchmark, all alike.
EXTENTS = (16, 24)


def load():
    """The sums of all doubles as problems, like those of problems.load(), with the extent
    `places` in the place of `sizes`."""
    terms = len(choose(DOUBLES))
    return [
        {
            "name": f"triples_{extent}",
            "einsum": f"{terms} terms of sd1 and sd2",
            "places": extent,
            "flops": 2 * terms * extent**7,
            "elements": extent**6 + 2 * terms * extent**4,
        }
        for extent in EXTENTS
    ]


def choose(prefixes):
    """The problems whose names begin with one of `prefixes`."""
    return [problem for problem in problems.load() if problem["name"].startswith(prefixes)]


def name_extents(problem, places, contracted):
    """Extents by label, from those of the six places of the result and the sum's."""
    return {**dict(zip(problem["einsum"].split("->")[1], places)), "g": contracted}


def write(path, terms, places, contracted, dtype):
    """Writes a function @triples that adds `terms`, or subtracts them, in this order.

    `places` are the extents of the result, outermost first, and `contracted` that of the
    sum. Each term has two memrefs of its own; the result is the last argument.
    """
    arguments, contractions = [], []
    minus = (
        f" map (%x: {dtype}, %y: {dtype}) {{ %m = arith.negf %x : {dtype} "
        f"%p = arith.mulf %m, %y : {dtype} tc.yield %p : {dtype} }}"
    )

    def memref(labels, sizes):
        shape = "x".join(str(sizes[label]) for label in labels)
        return f"memref<{shape}x{dtype}>"

    for problem in terms:
        inputs, output = problem["einsum"].split("->")
        sizes = name_extents(problem, places, contracted)
        labels = output + ("g" if "g" in inputs else "")
        space = ", ".join(f"{label} = {sizes[label]}" for label in labels)
        operands = []
        for operand in inputs.split(","):
            name = f"%{problem['name']}_{operand}"
            arguments.append(f"{name}: {memref(operand, sizes)}")
            operands.append(f"{name}[{', '.join(operand)}] : {memref(operand, sizes)}")
        result = memref(output, sizes)
        overwrite = "" if contractions else " overwrite"
        contractions.append(
            f"tc.contract ({space}) ins({', '.join(operands)}) "
            f"outs(%t3[{', '.join(output)}] : {result}){overwrite}"
            f"{minus if problem['name'] in SUBTRACTED else ''}"
        )
    arguments.append(f"%t3: {result}")
    with open(path, "w", encoding="utf-8") as file:
        body = "\n  ".join(contractions)
        file.write(f"func.func @triples({', '.join(arguments)}) {{\n  {body}\n  return\n}}\n")
