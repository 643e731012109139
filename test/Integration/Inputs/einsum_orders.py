"""The flops of --order=optimal beside those of numpy.einsum_path.

Each line of the table is an einsum, the extents of its labels, and what NumPy says
of it as one nest and in its optimal order, which takes no input on its own. The
flops of ours are counted here from the contractions that tc-compile prints.

    python3 einsum_orders.py            compare
    python3 einsum_orders.py numpy      print the table, by NumPy
"""

import math
import re
import subprocess
import sys

CASES = [
    # (einsum, extents, flops of NumPy as one nest, flops of NumPy's optimal order)
    ("ij,jk,kl->il", "i=2,j=9,k=5,l=12", 3240, 420),
    ("ij,jk,kl,lm,mn->in", "i=5,j=12,k=8,l=4,m=11,n=7", 739200, 2144),
    ("abcd,ai,bj,ck,dl->ijkl", "a=8,b=4,c=11,d=7,i=3,j=10,k=6,l=2", 4435200, 20128),
    ("ab,bc,ca->", "a=11,b=7,c=3", 693, 504),
    ("ijk,jkl,klm->im", "i=3,j=10,k=6,l=2,m=9", 9720, 1368),
    ("iq,qr->i", "i=6,q=2,r=9", 216, 216),
    ("q,qr,r->", "q=9,r=5", 135, 100),
    ("ab,cd,ef->", "a=12,b=8,c=4,d=11,e=7,f=3", 266112, 2040),
    ("ai,bi,ci->abc", "a=4,b=11,c=7,i=3", 2772, 1932),
    ("abi,aci,bd,cd->i", "a=7,b=3,c=10,d=6,i=2", 10080, 1284),
    ("abij,cdkl,ijkl->abcd", "a=10,b=6,c=2,d=9,i=5,j=12,k=8,l=4", 6220800, 198720),
    ("bsh,hqd,btx,xqd->bqst", "b=2,d=9,h=5,q=12,s=8,t=4,x=11", 1520640, 30120),
    ("abc,cd,def,ge,fhg,hb->a", "a=5,b=12,c=8,d=4,e=11,f=7,g=3,h=10", 26611200, 6216),
    ("a,ab,abc->abc", "a=8,b=4,c=11", 704, 704),
    ("aab,bc,cd->ad", "a=11,b=7,c=3,d=10", 6930, 1122),
    ("ij,ij,jk->ik", "i=3,j=10,k=6", 540, 390),
    ("ab,bcd,c,ef,fgd,g->ae", "a=6,b=2,c=9,d=5,e=12,f=8,g=4", 1244160, 1332),
]


def count_nest(iterators, inputs, result):
    """NumPy's count: an addition where anything is summed, and products."""
    sums = any(name not in result for name in iterators)
    return math.prod(iterators.values()) * (inputs - 1 + sums)


def count_contractions(text):
    """The number of contractions in `text`, and their flops."""
    count = flops = 0
    pattern = r"tc\.contract \((.*?)\) ins\((.*?)\) outs\((.*?)\)"
    for extents, inputs, result in re.findall(pattern, text):
        iterators = {}
        for entry in extents.split(","):
            if entry:
                name, extent = entry.split(" = ")
                iterators[name.strip()] = int(extent)
        subscripts = re.match(r"%\w+\[(.*?)\]", result).group(1)
        names = {name.strip() for name in subscripts.split(",")}
        flops += count_nest(iterators, inputs.count("%"), names)
        count += 1
    return count, flops


def compile_chain(einsum, sizes):
    command = ["tc-compile", f"--einsum={einsum}", f"--sizes={sizes}"]
    command += ["--order=optimal", "--emit=tc"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return count_contractions(done.stdout)


def compare():
    for einsum, sizes, one_nest, numpys in CASES:
        count, ours = compile_chain(einsum, sizes)
        best = min(one_nest, numpys)
        verdict = "same" if ours == best else "fewer" if ours < best else "MORE"
        print(f"{einsum}: {count} contractions, {ours} flops, NumPy {best}: {verdict}")


def count_path(inputs, result, extents, path):
    """The flops of the contractions in a path of numpy.einsum_path."""
    arrays, flops = [set(labels) for labels in inputs], 0
    for positions in path:
        chosen = [arrays.pop(i) for i in sorted(positions, reverse=True)]
        nest = set().union(*chosen)
        kept = nest & set(result).union(*arrays)
        iterators = {label: extents[label] for label in nest}
        flops += count_nest(iterators, len(chosen), kept)
        arrays.append(kept)
    return flops


def ask_numpy():
    import numpy

    for einsum, sizes, *_ in CASES:
        entries = (entry.split("=") for entry in sizes.split(","))
        extents = {label: int(extent) for label, extent in entries}
        inputs, result = einsum.split("->")
        inputs = inputs.split(",")
        arrays = [
            numpy.broadcast_to(0.0, [extents[label] for label in labels])
            for labels in inputs
        ]
        path = numpy.einsum_path(einsum, *arrays, optimize=("optimal", 2**62))[0]
        nest = [tuple(range(len(inputs)))]
        counts = [
            count_path(inputs, result, extents, steps) for steps in (nest, path[1:])
        ]
        row = f'    ("{einsum}", "{sizes}", {counts[0]}, {counts[1]}),'
        print(row)


if __name__ == "__main__":
    ask_numpy() if sys.argv[1:] == ["numpy"] else compare()
