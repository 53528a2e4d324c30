"""Tensors on a cluster of Dask: entries that lie on many workers, in one tensor.

``import vest_tucker.dask as vtd`` needs the extra ``dask``.
"""

from vest_tucker.dask.client import SETTINGS
from vest_tucker.dask.files import read
from vest_tucker.dask.fit import fit
from vest_tucker.dask.frames import from_frame
from vest_tucker.dask.predictions import predict
from vest_tucker.dask.tensor import ClusterTensor
from vest_tucker.dask.whole.studies import cross_validate, path, stability

__all__ = [
    "SETTINGS",
    "ClusterTensor",
    "cross_validate",
    "fit",
    "from_frame",
    "path",
    "predict",
    "read",
    "stability",
]
