#!/usr/bin/env bash
# Makes what is released, twice, and stops unless both are the same bytes: dist/ has the result.
#
# The source archive is packed from two copies of the tree; from it a wheel is built in two folders of
# different names, without any network, from what .venv has, and repaired. Then the wheel is tried.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(uname -s)" = Linux ] || { echo "release: auditwheel repairs wheels on Linux only" >&2; exit 1; }
# Times inside of archives: those of the last commit, or of the sources that have no history.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y pyproject.toml)}
export SOURCE_DATE_EPOCH PATH="$PWD/.venv/bin:$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if unshare -rn true 2>/dev/null; then
  offline=(unshare -rn)
else
  echo "release: no network namespace here: the network stays on" >&2
  offline=()
fi
files() { git ls-files -z 2>/dev/null || find . -type f -not -path './build/*' -print0; }

for copy in first a-second-one; do
  mkdir -p "$work/$copy/tree" "$work/$copy/unpacked"
  files | tar --null --files-from=- -cf - | tar -xf - -C "$work/$copy/tree"
  "${offline[@]}" python -m build --sdist --no-isolation --outdir "$work/$copy" "$work/$copy/tree"
  tar -xzf "$work/$copy"/*.tar.gz -C "$work/$copy/unpacked" --strip-components=1
  (cd "$work/$copy/unpacked" && "${offline[@]}" python -m pip wheel -qq --no-index --no-deps \
    --no-build-isolation --disable-pip-version-check -w "$work/$copy/built" .)
  auditwheel repair --plat auto --wheel-dir "$work/$copy" "$work/$copy"/built/*.whl
done

for file in "$work"/first/*.tar.gz "$work"/first/*.whl; do
  cmp "$file" "$work/a-second-one/${file##*/}" ||
    { echo "release: ${file##*/} is not the same twice" >&2; exit 1; }
done
rm -rf dist
mkdir dist
cp "$work"/first/*.tar.gz "$work"/first/*.whl dist
python .ci/inside.py dist/*.whl
.ci/try_wheel.sh dist/*.whl
(cd dist && sha256sum -- *)
echo "release: the same bytes twice"
