#!/usr/bin/env bash
# Brings what a part needs: .ci/setup.sh build | test | coverage | browser | plot | lint | workflows | docs | bench | experiments | release | arm64 | clang
#
# Python packages go into .venv. What pip cannot bring comes from the system's package manager when
# it is missing: the modules that make .venv; for `build`, Armadillo's and Python's headers; for
# `arm64`, a compiler that makes programs for such processors and an emulator that runs them; for
# `clang`, that compiler with its OpenMP and sanitizers; for `browser`, one for the tests of reports,
# which are skipped where there is none.
set -euo pipefail
cd "$(dirname "$0")/.."
part=$1 python=${PYTHON:-python3} venv=.venv

stop() { printf 'setup: %s\n' "$@" >&2; exit 1; }

# names <package manager>: its install command, and what it calls Armadillo's and Python's headers,
# the modules that make a virtual environment (nothing: they come with Python itself), what makes
# and runs programs for ARM64, clang with its runtimes, and a browser (nothing: not known to this
# script).
names() {
  python_venv="" arm64="" clang="" browser=chromium
  case $1 in
    brew) install="brew install" armadillo=armadillo python_headers=python browser="" ;;
    apt-get) install="apt-get install -y --no-install-recommends"
      armadillo=libarmadillo-dev python_headers=python3-dev python_venv=python3-venv
      arm64="g++-aarch64-linux-gnu qemu-user" clang="clang libomp-dev libclang-rt-dev" ;;
    dnf) install="dnf install -y" armadillo=armadillo-devel python_headers=python3-devel ;;
    zypper) install="zypper -n install" armadillo=armadillo-devel python_headers=python3-devel ;;
    pacman) install="pacman -S --needed --noconfirm" armadillo=armadillo python_headers=python ;;
    apk) install="apk add" armadillo=armadillo-dev python_headers=python3-dev ;;
  esac
}

# system_install <armadillo|python_headers|python_venv|arm64|clang|browser> <what these are>: installs,
# or stops with the command to type.
system_install() {
  local manager="" as_root="" candidate
  for candidate in brew apt-get dnf zypper pacman apk; do
    if command -v "$candidate" >/dev/null; then manager=$candidate; break; fi
  done
  [ -n "$manager" ] || stop "$2 are missing, and no package manager known to this script is here." \
    "Install them by hand; for Armadillo in an unusual place, ARMADILLO_INCLUDE_DIR=/path make ..."
  names "$manager"
  if [ "$1$python_venv" = python_venv ]; then
    stop "$2 are missing, and $manager has no package of them. Install a Python" \
      "that has them, and name it with: make PYTHON=/path/to/python3 ..."
  fi
  [ -n "${!1}" ] || stop "$2 are missing, and this script does not know what $manager calls them."
  install="$install ${!1}"
  if [ "$manager" != brew ] && [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
    sudo -n true 2>/dev/null || stop "$2 are missing. Install them and try again:" "  sudo $install"
  fi
  echo "setup: installing $2: $as_root $install"
  if [ "$manager" = apt-get ]; then $as_root apt-get update -qq; fi
  $as_root $install || stop "that failed. Install $2, then try again."
}

have_armadillo() {
  local root
  for root in "${ARMADILLO_INCLUDE_DIR:-}" "${CONDA_PREFIX:-}/include" /usr/include \
    /usr/local/include /opt/homebrew/include /opt/local/include; do
    if [ -f "$root/armadillo" ]; then return; fi
  done
  return 1
}

have_arm64() { command -v aarch64-linux-gnu-g++ >/dev/null && command -v qemu-aarch64 >/dev/null; }

have_clang() {
  echo 'int main() {}' | clang++ -x c++ -fsanitize=thread -fopenmp -o /dev/null - 2>/dev/null
}

have_browser() {
  local name
  for name in chromium chromium-browser google-chrome-stable google-chrome; do
    if command -v "$name" >/dev/null; then return; fi
  done
  return 1
}

have_venv() { "$python" -c 'import ensurepip, venv' 2>/dev/null; }

have_python_headers() {
  "$venv/bin/python" -c 'import os, sys, sysconfig as s
sys.exit(not os.path.exists(os.path.join(s.get_path("include"), "Python.h")))'
}

if ! "$venv/bin/python" -c "" 2>/dev/null; then
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    stop "Python 3.10 or newer is needed; name one with: make PYTHON=/path/to/python3 ..."
  have_venv || system_install python_venv "Python's venv and ensurepip modules"
  have_venv || stop "$("$python" --version) still lacks its venv and ensurepip modules. On Debian" \
    "and Ubuntu every Python has a package of its own for them, such as python3.12-venv."
  echo "setup: making $venv with $("$python" --version)"
  "$python" -m venv --clear "$venv"
fi

if [ "$part" = build ]; then
  command -v "${CXX:-c++}" >/dev/null || stop "no C++ compiler (${CXX:-c++}); install g++"
  have_armadillo || system_install armadillo "the Armadillo headers"
  have_python_headers || system_install python_headers "the Python headers"
fi

if [ "$part" = arm64 ]; then
  have_arm64 || system_install arm64 "the compiler and the emulator for ARM64"
  touch "$venv/.has-$part"
  exit
fi

if [ "$part" = clang ]; then
  have_clang || system_install clang "clang, its OpenMP and its sanitizers"
  touch "$venv/.has-$part"
  exit
fi

if [ "$part" = browser ]; then
  # In a subshell, for nobody needs it: tests that would open a page say that they are skipped.
  have_browser || (system_install browser "Chromium and what it needs") ||
    echo "setup: going on without a browser; tests that open a page in one will be skipped"
  touch "$venv/.has-$part"
  exit
fi

echo "setup: Python packages for '$part'"
wanted=$venv/requirements-$part.txt
"$venv/bin/python" .ci/requirements.py "$part" >"$wanted"
pip_install() { "$venv/bin/python" -m pip install -qq --disable-pip-version-check "$@"; }
if [ "$part" = experiments ]; then
  # Not every system has a wheel for every Python, and the comparison goes on without those.
  pip_install --only-binary :all: -r "$wanted" || while read -r one; do
    pip_install --only-binary :all: "$one" ||
      echo "setup: going on without $one; the comparison says which systems need it"
  done <"$wanted"
else
  pip_install -r "$wanted"
fi
touch "$venv/.has-$part"  # the Makefile's stamp
