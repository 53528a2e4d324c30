"""Options of commands are those of the functions: names, types, defaults, descriptions."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import pytest

import vest_tucker as vt
from vest_tucker.cli.commands.fit import NEED_PYTHON, OPTIONS
from vest_tucker.cli.options import (
    Kinds,
    add_options,
    how_to_add,
    kinds_of,
    options_of,
    sentence,
    shown,
    taken,
)


def parsed(*words: str, function: Any = vt.fit, skip: tuple[str, ...] = ("X",)) -> dict[str, Any]:
    parser = argparse.ArgumentParser(exit_on_error=False)
    options = tuple(options_of(function, skip=(*skip, *NEED_PYTHON)))
    add_options(parser, "options", options)
    return taken(parser.parse_args(words), options)


def test_every_parameter_of_fit_is_an_option_or_needs_python() -> None:
    names = [*inspect.signature(vt.fit).parameters]
    other = ("X", "progress", *NEED_PYTHON)  # every command shows its progress
    assert [each.name for each in OPTIONS] == [name for name in names if name not in other]


def test_what_is_not_given_is_not_passed_on() -> None:
    assert parsed() == {}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--ranks 5", {"ranks": 5}),
        ("--ranks 6 6 2", {"ranks": (6, 6, 2)}),
        ("--ranks auto", {"ranks": "auto"}),
        ("--ranks user=8 movie=4", {"ranks": {"user": 8, "movie": 4}}),
        ("--sparsity auto", {"sparsity": "auto"}),
        ("--sparsity .5", {"sparsity": 0.5}),
        ("--offset none", {"offset": None}),
        ("--offset biases", {"offset": "biases"}),
        ("--tol none", {"tol": None}),
        ("--tol 1e-3", {"tol": 1e-3}),
        ("--no-revive", {"revive": False}),
        ("--nonnegative", {"nonnegative": True}),
        ("--nonnegative user core", {"nonnegative": ["user", "core"]}),
        ("--lam auto --lam-rows sqrt", {"lam": "auto", "lam_rows": "sqrt"}),
        ("--seed 3 --threads 1", {"seed": 3, "threads": 1}),
        ("--init data", {"init": "data"}),
        ("--validation test.csv", {"validation": "test.csv"}),
    ],
)
def test_values(words: str, expected: dict[str, Any]) -> None:
    assert parsed(*words.split()) == expected


def test_values_of_other_functions() -> None:
    predict = vt.TuckerModel.predict
    assert parsed(*["--clip", "1", "5"], function=predict, skip=("cells",)) == {"clip": (1.0, 5.0)}
    assert parsed(*["--clip", "seen"], function=predict, skip=("cells",)) == {"clip": "seen"}
    words = ["--modes", "who", "dish", "--shape", "3", "4"]
    assert parsed(*words, function=vt.read, skip=("path",)) == {
        "modes": ["who", "dish"], "shape": [3, 4],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--offset often", "invalid 'mean' or 'biases' or 'auto' or 'none' value: 'often'"),
        ("--loss l3", "'l3'"),
        ("--seed x", "invalid whole number value: 'x'"),
        ("--sparsity much", "invalid number or 'auto' value: 'much'"),
        ("--ranks 3 user=4", "a number for each name"),
    ],
)
def test_what_cannot_be_a_value_is_refused(words: str, said: str) -> None:
    with pytest.raises(argparse.ArgumentError, match=said):
        parsed(*words.split())


def test_types_are_taken_apart() -> None:
    kinds = kinds_of(int | Iterable[int] | Mapping[str | int, int] | Literal["auto"])
    assert kinds == Kinds({int}, ("auto",), {int}, True, False, False)
    assert kinds_of(complex).strange
    assert how_to_add(kinds_of(complex), None) is None


def test_descriptions() -> None:
    helps = {each.name: each.how["help"] for each in OPTIONS}
    assert helps["max_iter"] == "At most this many iterations. (default: 100)"
    assert helps["lam"] == "The weight of the penalty."
    assert all(helps.values())
    of_path = {each.name: each.how["help"] for each in options_of(vt.path, skip=("X",))}
    assert of_path["penalty"] == helps["penalty"]  # "As for `fit`."
    assert sentence("Only this", "x") == "Only this"
    assert (shown(True), shown(None), shown(False), shown(0.5)) == ("yes", "", "", "0.5")


def test_prefixes_keep_options_apart() -> None:
    others = ("tensor", "path", "index_base", "value", "weight", "escape_formulas")
    (option,) = options_of(vt.write, skip=others, prefix="output_")
    assert (option.name, option.flag) == ("format", "--output-format")
    (short,) = options_of(vt.TuckerModel.describe, skip=("labels", "unit"))
    assert short.flag == "-n"
