#!/usr/bin/env bash
# Tries a wheel in a new environment, as on a machine that has neither a compiler nor libgomp:
# .ci/try_wheel.sh WHEEL [PYTHON]
#
# Only the new environment is in PATH. The system's libgomp is covered by an empty file, which needs a
# mount namespace of our own; where there is none, this is said and the rest is tried.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
wheel=$(realpath "$1") python=${2:-python}
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
"$python" -m venv "$elsewhere/venv"
"$elsewhere/venv/bin/python" -m pip install -qq --disable-pip-version-check "$wheel"
cp "$here/smoke.py" "$elsewhere"
cd "$elsewhere"

bare() { env -i PATH="$elsewhere/venv/bin" HOME="$elsewhere" "$@"; }
libraries=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p | sed -n 's/.*libgomp\.so\.1 .* => //p')
# shellcheck disable=SC2016 # these are the variables of the shell inside
cover='for library in $LIBRARIES; do mount --bind /dev/null "$library"; done; unset LIBRARIES; exec "$@"'
if LIBRARIES=$libraries unshare -rm bash -c "$cover" bash true 2>/dev/null; then
  alone() { LIBRARIES=$libraries unshare -rm bash -c "$cover" bash env -i PATH="$elsewhere/venv/bin" HOME="$elsewhere" "$@"; }
  ! alone python -c 'import ctypes; ctypes.CDLL("libgomp.so.1")' 2>/dev/null ||
    { echo "try_wheel: the system's libgomp is not hidden" >&2; exit 1; }
else
  echo "try_wheel: no mount namespace here: the system's libgomp stays in sight" >&2
  alone() { bare "$@"; }
fi
bare python -c 'import shutil, sys; sys.exit(any(map(shutil.which, ("cc", "c++", "gcc", "g++"))))'

alone python smoke.py
alone vest-tucker --version
alone vest-tucker demo >demo.txt
grep -q "Relations:" demo.txt || { echo "try_wheel: the demo says nothing" >&2; exit 1; }
echo "try_wheel: ${wheel##*/} works"
