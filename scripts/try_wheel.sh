#!/usr/bin/env bash
# Installs the wheel beside this script, and runs its programs and the package, as
# README and docs/Python.md show them. Needs Python, and a package index for NumPy.
set -euo pipefail
folder=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
cd "$work"
unset TC_COMPILE PYTHONPATH
export TC_CACHE_DIR=$work/cache

python3 -m venv venv
export PATH=$work/venv/bin:$PATH
start=$SECONDS
pip install -q "$folder"/*.whl
echo "installed after $((SECONDS - start)) s"
python - <<'END'
import numpy
import tc

x, y = numpy.random.rand(20, 30), numpy.random.rand(30, 40)
assert numpy.allclose(tc.einsum("ik,kj->ij", x, y), x @ y)
from tc._call._invoke import native

assert native(), "expected the extension module tc_invoke"
END
echo "first right einsum after $((SECONDS - start)) s"
[ $((SECONDS - start)) -le 60 ]

for program in tc-compile tc-emu tc-opt tc-run tc-tune; do
  "$program" --version | grep -o 'tc version [0-9.]*' | sed "s/^/$program: /"
done
tc-compile --einsum='ik,kj->ij' --sizes=i=64,j=64,k=64 --chip=sm_90a --emit=ptx -o product.ptx
grep -q 'visible .entry' product.ptx
tc-run --einsum='ik,kj->ij' --sizes=i=64,j=64,k=64 --verify --device=emulator
tc-tune --einsum='ik,kj->ij' --sizes=i=64,j=64,k=64 --chips=sm_90a --top=2 --file=tuning.json
python - <<'END'
import numpy
import tc

x = numpy.ones((8, 8), numpy.float32)
kernel = tc.compile("ij,jk->ik", x, x, chips=["sm_90a"], tuning="tuning.json")
assert (kernel(x, x) == 8).all()
END
echo "all right"
