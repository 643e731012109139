#!/usr/bin/env bash
# One contraction through every phase: sd1_7 of coupled-cluster theory, 16^6
# results of 16 products each. BUILD_DIR is the argument; `./dev demo` calls this.
set -euo pipefail
build=$1
python=${TC_PYTHON:-python3}
bin=$build/bin
out=$build/demo
input=test/Integration/Inputs/sd1_7.mlir
einsum='cefg,gdba->fdecba'
chip=sm_90a
mkdir -p "$out"

title() { printf '\n== %s\n' "$*"; }

# excerpt FILE PATTERN LINES: up to that many lines from the first that matches to
# the end of the function, without the outer indentation, long lines folded.
excerpt() {
  awk -v pattern="$2" -v lines="$3" '
    $0 ~ pattern && !on { on = 1; match($0, /^ */); indent = RLENGTH }
    /^ *return$/ { lines = 0 }
    on && lines-- > 0 { print substr($0, 1 + indent) }' "$1" | fold -s -w 140
  echo "... (the whole: $1, $(wc -l <"$1") lines)"
}

# phase NUMBER NAME PATTERN PASS...: adds passes to those run so far, and shows
# the program where PATTERN begins.
passes=()
phase() {
  local number=$1 name=$2 pattern=$3
  shift 3
  passes+=("$@")
  title "phase $number, $name: $*"
  "$bin/tc-opt" "$input" "${passes[@]}" -o "$out/phase$number.mlir"
  excerpt "$out/phase$number.mlir" "$pattern" 12
}

title "phase 0, named: $input"
grep -v '^//' "$input"
phase 1 contract 'tc\.contract' --convert-linalg-to-tc
phase 2 normal 'tc\.(view|contract)' --tc-normalize
phase 3 scheduled 'tc\.contract' --tc-schedule
phase 4 tiled 'tc\.par' --tc-tile
phase 5 staged 'tc\.par' --tc-promote
phase 6 mapped 'tc\.par' --tc-map --tc-sync
phase 7 kernel 'gpu\.launch' --tc-lower-microkernel --convert-tc-to-gpu

title "phase 8, binary: tc-compile --chip=$chip"
"$bin/tc-compile" "$input" --chip=$chip --emit=ptx -o "$out/sd1_7.ptx" \
  --report=json >"$out/report.json"
excerpt "$out/sd1_7.ptx" '^\\.visible' 12
built=("$out/sd1_7.ptx")
if command -v ptxas >/dev/null; then
  "$bin/tc-compile" "$input" --chip=$chip --emit=cubin -o "$out/sd1_7.cubin"
  built+=("$out/sd1_7.cubin")
else
  echo "cubin: left out, there is no ptxas"
fi

title "on the emulator, at reduced extents, against the reference"
"$bin/tc-run" --einsum="$einsum" --sizes=a=4,b=3,c=5,d=4,e=3,f=2,g=7 \
  --device=emulator --verify --report=text | tee "$out/verdict.txt"

title "what was built, verified and expected"
"$python" scripts/demo.py "$out/report.json" "$out/verdict.txt" "${built[@]}"
