"""Not a bit of forty fits changes: by threads, when repeated, or by a refactoring."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fingerprint_cases
import vest_tucker as vt
from fingerprint_cases import CASES, Case, cube
from fingerprints import HOW_TO, fingerprint, key_of, stored
from vest_tucker import _core
from vest_tucker.fitting.checkpoint.settings import OF_THE_RUN

# Options that change no number of these fits, a former name, and one of plain fits.
CHANGE_NO_NUMBER = {*OF_THE_RUN, "holdout", "loss"}


def a_case(model: vt.TuckerModel) -> Case:
    return Case("a model", lambda threads: [model], needs_same_numpy=False)


@functools.cache
def printed(name: str) -> str:
    try:
        return fingerprint(CASES[name], threads=1)
    except vt.errors.MissingPackageError as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", CASES)
def test_threads_and_repeating_change_no_bit(name: str) -> None:
    assert fingerprint(CASES[name], threads=2) == printed(name)
    assert fingerprint(CASES[name], threads=1) == printed(name)


@pytest.mark.parametrize("name", CASES)
def test_no_bit_differs_from_the_list(name: str) -> None:
    key = key_of(CASES[name], _core.isas()[0])
    if key is None:
        pytest.skip("this NumPy does not tell which processor its linear algebra is for")
    want = stored().get(key, {}).get(name)
    if want is None:
        pytest.skip(f"no list for {key} has it.\n{HOW_TO}")
    assert printed(name) == want, f"differs from the list for {key}"


def test_the_lists_name_no_other_fits() -> None:
    assert all(prints.keys() <= CASES.keys() for prints in stored().values())


def test_every_option_of_fit_is_on_the_list() -> None:
    source = Path(fingerprint_cases.__file__).read_text()
    options = inspect.signature(vt.fit).parameters.keys() - {"X", "ranks"} - CHANGE_NO_NUMBER
    used = set(re.findall(r"\b(\w+)=", source)) | set(re.findall(r'"(\w+)": ', source))
    assert options <= used


def test_the_smallest_change_is_seen() -> None:
    def case(lam: float) -> Case:
        return a_case(vt.fit(cube(), 2, lam=lam, seed=0, max_iter=3, preset="paper"))

    assert fingerprint(case(0.01)) == fingerprint(case(0.01))
    assert fingerprint(case(0.01)) != fingerprint(case(0.01 + 1e-12))


def test_every_number_of_a_model_counts() -> None:
    model = next(iter(CASES["biases, lam by default, not scaled"].run(1)))
    assert model.offset is not None
    core = model.core.copy()
    core.flat[0] = np.nextafter(core.flat[0], 2.0)
    user = np.nextafter(model.offset.biases[0], 2.0)
    changes: list[dict[str, Any]] = [
        {"core": core},
        {"factors": [*model.factors[:-1], np.nextafter(model.factors[-1], 2.0)]},
        {"error": np.nextafter(model.error, 2.0)},
        {"lam": np.nextafter(model.lam, 2.0)},
        {"history": model.history[:-1]},
        {"offset": dataclasses.replace(model.offset, biases=(user, *model.offset.biases[1:]))},
    ]
    models = [model, *(dataclasses.replace(model, **change) for change in changes)]
    prints = {fingerprint(a_case(one)) for one in models}
    assert len(prints) == len(models)
