#!/usr/bin/env bash
# The whole suite with every Python that is here, one after the other: .ci/pythons.sh [PYTHON...]
#
# Without arguments it takes one Python of each version from 3.10 on, and free-threaded ones as well,
# from PATH and from the folders of pyenv and uv. Each gets a new environment, a wheel of its own, and
# the newest packages it can have: what cannot be had for it is left out, by name, and the tests that
# need it are skipped. DEPENDENCIES=oldest installs the lower bounds of pyproject.toml instead, as uv
# reads them there, and takes the oldest Python alone unless others are named.
#
# One build tree serves all: a Python's own part of the module is compiled anew, the kernels are not.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/pythons dependencies=${DEPENDENCIES:-newest}
mkdir -p "$work"

say() { echo "pythons: $*"; }

# found: a Python of each version and kind that this library supports, the oldest first.
found() {
  local candidate
  for candidate in $(compgen -c python3. | grep -E '^python3\.[0-9]+t?$' | sort -u) python3 \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3 \
    "${XDG_DATA_HOME:-$HOME/.local/share}"/uv/python/*/bin/python3; do
    "$candidate" -c 'import ensurepip, sys, sysconfig
if sys.version_info < (3, 10) or sys.implementation.name != "cpython": sys.exit(1)
free = sysconfig.get_config_var("Py_GIL_DISABLED") or 0
print("%d.%d%s" % (*sys.version_info[:2], "t" * free), sys._base_executable)' 2>/dev/null || true
  done | sort -V -k1,1 -s -u | cut -d' ' -f2-
}

# install <environment> <wheel>: the wheel and what the tests need.
install() {
  local python=$1/bin/python wanted=$1/wanted.txt requirement
  if [ "$dependencies" = oldest ]; then
    "$python" -m pip install -qq uv
    "$python" -m uv pip compile -q --resolution lowest-direct --python "$python" --extra test \
      --no-header --no-annotate --output-file "$wanted" pyproject.toml
    "$python" -m uv pip install -q --python "$python" -r "$wanted"
  else
    "$python" .ci/requirements.py test >"$wanted"
    if ! "$python" -m pip install -qq --prefer-binary -r "$wanted" 2>"$1/refused.txt"; then
      while read -r requirement; do
        "$python" -m pip install -qq --prefer-binary "$requirement" 2>>"$1/refused.txt" ||
          say "goes on without $requirement"
      done <"$wanted"
    fi
  fi
  "$python" -m pip install -qq --no-deps --force-reinstall "$2"
}

# try <python>: builds, installs and tests with it.
try() {
  local name venv
  name=$("$1" -c 'import sys; print(sys.version.split()[0] + sys.abiflags)')
  venv=$work/$name-$dependencies
  say "$name, $dependencies packages"
  rm -rf "$venv"
  "$1" -m venv "$venv"
  "$venv/bin/python" .ci/requirements.py build >"$venv/build.txt"
  "$venv/bin/python" -m pip install -qq --prefer-binary -r "$venv/build.txt"
  PATH="$venv/bin:$PATH" "$venv/bin/python" -m pip wheel -qq --no-build-isolation --no-deps \
    --config-settings=build-dir="$work/tree" -w "$venv" .
  install "$venv" "$venv"/*.whl
  "$venv/bin/python" -m pytest -q -p no:cacheprovider -n auto --maxprocesses 8 --dist worksteal
}

export PIP_DISABLE_PIP_VERSION_CHECK=1
pythons=("$@")
[ $# -gt 0 ] || mapfile -t pythons < <(found)
[ ${#pythons[@]} -gt 0 ] || { say "no Python of 3.10 or later with ensurepip is here" >&2; exit 1; }
if [ $# -eq 0 ] && [ "$dependencies" = oldest ]; then pythons=("${pythons[0]}"); fi
failed=()
for python in "${pythons[@]}"; do
  try "$python" &  # in the background, because Bash forgets `set -e` left of an ||
  wait $! || failed+=("$python")
done
[ ${#failed[@]} -eq 0 ] || { say "failed with: ${failed[*]}" >&2; exit 1; }
say "all of these pass: ${pythons[*]}"
