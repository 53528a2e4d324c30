"""Predictions for frames of Dask, lazily: one partition at a time, where it lies."""

from __future__ import annotations

from typing import Any

from vest_tucker.base.errors import ColumnError, DtypeError
from vest_tucker.base.options import type_text
from vest_tucker.base.types import Floats
from vest_tucker.dask.client import client_of
from vest_tucker.dask.told import given
from vest_tucker.data.frames import require_columns
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
        With the labels of each mode in the column called like it. Other columns stay as they are.
    client : distributed.Client, optional
        By default the one that was made last.
    return_std, interval, **options
        As for `TuckerModel.predict`; ``options`` are ``unseen``, ``clip`` and ``average``.

    Returns
    -------
    dask.dataframe.DataFrame
        The frame, with the column "predicted" at its end; also "std", and "lower" and "upper", if
        they are asked for.
    """
    if not hasattr(frame, "map_partitions"):
        raise DtypeError(
            f"predict needs a frame of Dask, but got {type_text(frame)}; model.predict takes others"
        )
    names = ["predicted"]
    names += ["std"] if return_std else []
    names += [] if interval is None else ["lower", "upper"]
    there = list(frame.columns)
    average = options.get("average") or ()
    left_out = {average} if isinstance(average, str) else set(average)
    require_columns([mode for mode in model.modes if mode not in left_out], there)
    for name in names:
        if name in there:
            raise ColumnError(f"there is a column {name!r} already; rename it first")
    options |= {"return_std": return_std, "interval": interval}
    own = given(client_of(client), model)
    empty = frame._meta.assign(**dict.fromkeys(names, 0.0))
    return frame.map_partitions(_predicted, own, names, options, meta=empty)


def _predicted(frame: Any, model: TuckerModel, names: list[str], options: dict[str, Any]) -> Any:
    columns = [name for name in frame.columns if name in model.modes]
    found = model.predict(frame[columns], threads=1, progress=False, **options)
    several: tuple[Floats, ...] = found if isinstance(found, tuple) else (found,)
    return frame.assign(**dict(zip(names, several, strict=True)))
