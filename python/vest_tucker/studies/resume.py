"""The function vt.resume: goes on with whatever call wrote a checkpoint."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

from vest_tucker.base.errors import CheckpointError, MissingFileError, OptionError
from vest_tucker.base.options import check_path
from vest_tucker.base.public import public
from vest_tucker.base.types import AnyPath
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.checkpoint.file import read_checkpoint
from vest_tucker.fitting.checkpoint.settings import OF_THE_RUN
from vest_tucker.fitting.fit import defaults_of_fit, fit
from vest_tucker.studies.cross_validation import cross_validate
from vest_tucker.studies.path.run import path as make_path
from vest_tucker.studies.stability.run import stability

CALLS: dict[str, Callable[..., Any]] = {
    "fit": fit,
    "path": make_path,
    "stability": stability,
    "cross_validate": cross_validate,
}


@public
def resume(path: AnyPath, X: SparseTensor, **given: Any) -> Any:
    """Go on with the call that wrote a checkpoint, with the settings that it had.

    The result is that of a call that never ended, to the last bit; only ``seconds`` count anew.

    Parameters
    ----------
    path : path
        What was given as ``checkpoint``.
    X : SparseTensor
        The same tensor: the file has only a fingerprint of it.
    **given
        How to run from here on, if not by default: ``threads``, ``progress``, ``callback``,
        ``checkpoint_every`` and so on. And what the file has only a fingerprint of, if the call
        had it: ``validation``, ``warm_start``, ``support``, ``keep``, ``fixed``, and arrays, as of
        ``init`` and ``ranks``.

    Returns
    -------
    TuckerModel, Path, Stability or CrossValidation
        What `fit`, `path`, `stability` or `cross_validate` returns.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X, truth = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, seed=0)
    >>> model = vt.fit(X, seed=0, checkpoint="run.ckpt")
    >>> vt.resume("run.ckpt", X).error == model.error
    True
    """
    file = check_path("path", path)
    if not file.exists():
        raise MissingFileError(
            f"there is no checkpoint {os.fspath(path)!r}; look whether the name is right: it is "
            f"what fit or another call was given as checkpoint="
        )
    about, _ = read_checkpoint(file)
    settings = about["settings"]
    hashed = [name for name, value in settings.items() if _is_hash(value) and name != "seed"]
    missing = [name for name in hashed if given.get(name) is None]
    if missing:
        raise CheckpointError(
            f"{path} was written with {', '.join(f'{name}=' for name in missing)}, of which it has "
            f"only a fingerprint: give the same again"
        )
    for name in given:
        if name not in (*OF_THE_RUN, *hashed) or name == "checkpoint":
            raise OptionError(
                f"{name} is a setting of the file, {settings.get(name)!r}, and cannot be changed; "
                f"leave it out, or call {about['call']} with another checkpoint="
            )
    call = CALLS[about["call"]]
    defaults = defaults_of_fit() | {
        each.name: each.default for each in inspect.signature(call).parameters.values()
    }
    plain = {
        name: value
        for name, value in settings.items()
        if not _is_hash(value) and (name not in defaults or value != defaults[name])
    }
    return call(X, **{**plain, **given, "checkpoint": path})


def _is_hash(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"sha256"}
