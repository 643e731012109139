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

# The first lines of a text that say something, and how many follow.
head_of() {
  local shown=$1 file=$2 total
  total=$(wc -l <"$file")
  head -n "$shown" "$file" | cut -c 1-150
  [ "$total" -le "$shown" ] || echo "... ($((total - shown)) more lines: $file)"
}

# phase NUMBER NAME PASS...: adds passes to those run so far and shows the program.
passes=()
phase() {
  local number=$1 name=$2
  shift 2
  passes+=("$@")
  title "phase $number, $name: $*"
  "$bin/tc-opt" "$input" "${passes[@]}" -o "$out/phase$number.mlir"
  head_of 14 "$out/phase$number.mlir"
}

title "phase 0, named: $input"
grep -v '^//' "$input"
phase 1 contract --convert-linalg-to-tc
phase 2 normal --tc-normalize
phase 3 scheduled --tc-schedule
phase 4 tiled --tc-tile
phase 5 staged --tc-promote
phase 6 mapped --tc-map --tc-sync
phase 7 kernel --tc-lower-microkernel --convert-tc-to-gpu

title "phase 8, binary: tc-compile --chip=$chip"
"$bin/tc-compile" "$input" --chip=$chip --emit=ptx -o "$out/sd1_7.ptx" \
  --report=json >"$out/report.json"
grep -m 1 -A 8 '^\.visible' "$out/sd1_7.ptx"
if command -v ptxas >/dev/null; then
  "$bin/tc-compile" "$input" --chip=$chip --emit=cubin -o "$out/sd1_7.cubin"
  ls -l "$out/sd1_7.cubin" | awk '{ print "cubin: " $5 " bytes, " $9 }'
else
  echo "cubin: left out, there is no ptxas"
fi

title "what was decided, and what it costs (static figures of $out/report.json)"
"$python" -m json.tool "$out/report.json"

title "on the emulator, at reduced extents, against the reference"
"$bin/tc-run" --einsum="$einsum" --sizes=a=4,b=3,c=5,d=4,e=3,f=2,g=7 \
  --device=emulator --verify --report=text
