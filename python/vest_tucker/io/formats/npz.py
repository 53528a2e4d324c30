"""Our own file of a tensor with names and labels: read back bit for bit, and without parsing."""

from __future__ import annotations

from vest_tucker.base.errors import DamagedFileError
from vest_tucker.base.types import AnyPath
from vest_tucker.data.duplicates import Duplicates
from vest_tucker.data.label_arrays import storable
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.io.archive import read_archive, write_archive

KIND = "tensor"


def read_npz(path: AnyPath, duplicates: Duplicates = "error") -> SparseTensor:
    """Read a tensor as it was written."""
    arrays, meta = read_archive(path, KIND)
    try:
        labels = [arrays.get(f"labels_{mode}") for mode in range(len(meta["shape"]))]
        return SparseTensor(
            arrays["coords"], arrays["values"], meta["shape"], modes=meta["modes"], labels=labels,
            duplicates=duplicates,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"holds no tensor ({error})", path) from error


def write_npz(tensor: SparseTensor, path: AnyPath) -> None:
    """Write everything there is of a tensor."""
    labels = {
        f"labels_{mode}": storable(own, f"labels of mode {tensor.modes[mode]!r}")
        for mode, own in enumerate(tensor.labels)
        if own is not None
    }
    write_archive(
        path,
        KIND,
        {"coords": tensor.coords, "values": tensor.values, **labels},
        {"shape": tensor.shape, "modes": tensor.modes},
    )
