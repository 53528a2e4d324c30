"""Reading a file runs nothing that is in it: no code is compiled, unpickled or started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import vest_tucker as vt
from small import made

ROOT = Path(__file__).parents[4]

# Events that tell of code being made, of programs, of other files written, or of the network. The
# modules that a first read loads are compiled before: every file is read twice.
READER = """
import sys
import vest_tucker as vt

FORBIDDEN = ("exec", "compile", "pickle.", "marshal.", "subprocess.", "os.system", "os.exec",
             "os.posix_spawn", "os.fork", "socket.", "urllib.", "ctypes.", "code.", "shutil.")
watching, seen = [False], []

def hook(event, arguments):
    if not watching[0]:
        return
    if event.startswith(FORBIDDEN) or event == "open" and "w" in str(arguments[1]):
        seen.append((event, repr(arguments)[:200]))

sys.addaudithook(hook)
for path in sys.argv[1:]:
    read = vt.TuckerModel.load if "model" in path else vt.read
    for is_watched in (False, True):
        watching[0] = is_watched
        read(path)
        watching[0] = False
watching[0] = True
eval("1 + 1")  # the hook hears what it listens for
watching[0] = False
print(len(seen), seen)
"""


def test_no_file_runs_anything(tmp_path: Path) -> None:
    texts = ["__import__('os').abort()", "=1+1", "<script>"]
    X = vt.SparseTensor([[0, 0], [1, 1], [2, 0]], [1.0, 2.0, 3.0], modes=["a", "b"],
                        labels={"a": texts, "b": ["u", "v"]})  # fmt: skip
    for suffix in ("npz", "csv", "tsv.gz", "parquet", "csv.zst", "csv.xz", "csv.bz2"):
        vt.write(X, tmp_path / f"x.{suffix}")
    for suffix in ("tns", "sptensor"):
        vt.write(X, tmp_path / f"x.{suffix}")
    made([[1.0]], [[[1.0]] * 3, [[1.0]] * 2], modes=("a", "b"), labels=(texts, None)).save(
        tmp_path / "model.npz"
    )
    old = ROOT / "tests" / "data" / "old-files" / "0.1.0-unsigned"
    paths = [*tmp_path.iterdir(), old / "model-plain.npz", old / "model-zones.npz"]
    command = [sys.executable, "-c", READER, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    number, heard = done.stdout.split(maxsplit=1)
    assert int(number) == 2, heard  # the eval at the end: compiled, then run
