"""Our own format: a tensor with names and labels, read back bit for bit without parsing."""

from __future__ import annotations

from vest_tucker.base.errors import DamagedFileError
from vest_tucker.base.types import AnyPath
from vest_tucker.data.label_arrays import storable
from vest_tucker.data.sources.zones import with_zones, zones_of
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.io.archive import ZIP, read_archive, write_archive
from vest_tucker.io.format import Format
from vest_tucker.io.read_options import Request

KIND = "tensor"


def read_npz(path: AnyPath, request: Request) -> tuple[SparseTensor, None]:
    """Read a tensor as it was written."""
    arrays, meta = read_archive(path, KIND)
    try:
        labels = with_zones(
            [arrays.get(f"labels_{mode}") for mode in range(len(meta["shape"]))], meta.get("zones")
        )
        tensor = SparseTensor(
            arrays["coords"], arrays["values"], meta["shape"], modes=meta["modes"], labels=labels,
            duplicates=request.duplicates, weights=arrays.get("weights"),
            count_as_weight=request.count_as_weight,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"does not hold a tensor ({error})", path) from error
    return tensor, None


def write_npz(tensor: SparseTensor, path: AnyPath) -> None:
    """Write a tensor with all names, labels and weights."""
    labels = {
        f"labels_{mode}": storable(own, f"labels of mode {tensor.modes[mode]!r}")
        for mode, own in enumerate(tensor.labels)
        if own is not None
    }
    weights = {} if tensor.weights is None else {"weights": tensor.weights}
    write_archive(
        path,
        KIND,
        {"coords": tensor.coords, "values": tensor.values, **weights, **labels},
        {"shape": tensor.shape, "modes": tensor.modes, **zones_of(tensor.labels)},
    )


FORMAT = Format(
    name="npz",
    suffixes=(".npz",),
    read=read_npz,
    write=write_npz,
    recognizes=lambda head: head.stored.startswith(ZIP),
    reads_with=(),
    writes_with=(),
    compressible=False,
)
