"""Predictions for frames of Dask, lazily: one partition at a time, where it lies."""

from __future__ import annotations

from typing import Any

from vest_tucker.base.errors import DtypeError
from vest_tucker.base.types import Floats
from vest_tucker.dask.client import client_of
from vest_tucker.model.model import TuckerModel


def predict(
    model: TuckerModel,
    frame: Any,
    *,
    client: Any = None,
    return_std: bool = False,
    interval: float | None = None,
    **options: Any,
) -> Any:
    """Predict the value of each row of a frame of Dask; nothing is computed before it is asked for.

    The model travels to each worker once, not with each partition.

    Parameters
    ----------
    model : TuckerModel
    frame : dask.dataframe.DataFrame
        With the labels of each mode in the column called like it.
    client : distributed.Client, optional
        By default the one that was made last.
    return_std, interval, **options
        As for `TuckerModel.predict`; ``options`` are ``unseen`` and ``clip``.

    Returns
    -------
    dask.dataframe.DataFrame
        With the index of the frame and the column "prediction"; also "std", and "lower" and
        "upper", if they are asked for.
    """
    if not hasattr(frame, "map_partitions"):
        raise DtypeError(
            f"predict needs a frame of Dask, but got a {type(frame).__name__}; model.predict takes "
            f"others"
        )
    import pandas as pd

    names = ["prediction"]
    names += ["std"] if return_std else []
    names += [] if interval is None else ["lower", "upper"]
    options |= {"return_std": return_std, "interval": interval}
    there = client_of(client).scatter(model, broadcast=True, hash=False)
    empty = pd.DataFrame({name: pd.Series(dtype=float) for name in names})
    columns = [name for name in frame.columns if name in model.modes]
    return frame[columns].map_partitions(_predicted, there, names, options, meta=empty)


def _predicted(frame: Any, model: TuckerModel, names: list[str], options: dict[str, Any]) -> Any:
    import pandas as pd

    found = model.predict(frame, threads=1, progress=False, **options)
    several: tuple[Floats, ...] = found if isinstance(found, tuple) else (found,)
    return pd.DataFrame(dict(zip(names, several, strict=True)), index=frame.index)
