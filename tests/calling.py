"""Every public function and method, called with whatever one can give it.

``python tests/calling.py [calls] [seed]`` makes so many calls and prints what went wrong; tests
make a slice of them. ``python tests/calling.py each 12 [seed]`` gives each parameter of everything
12 odd values, all other arguments being sensible. What can be given is read from signatures and annotations, so that a new
function or option is called without a line here. A call may return, or raise a named error of ours,
or a TypeError or ValueError that our code raises itself, or that Python raises because arguments do
not fit a signature; what comes from deep inside is a fault, as is whatever takes longer than `LIMIT`.
"""

from __future__ import annotations

import collections
import contextlib
import dis
import faulthandler
import inspect
import io
import math
import os
import re
import resource
import signal
import sys
import tempfile
import traceback
import typing
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NamedTuple

import numpy as np

import vest_tucker as vt

LIMIT = 10  # seconds of the processor for a call: most fail at once, the slowest are small fits
ROOM = 8 << 30  # bytes of address space: whoever writes range(10**9) out is told
HANGS = 300  # seconds after which even a call that hears no signal ends the process
SPECIAL = ("__getitem__", "__call__", "__contains__", "__eq__", "__len__", "__iter__")
# Other classes are what functions return: nobody has a reason to make one of them by hand.
MADE_BY_USERS = (
    "SparseTensor", "TuckerModel", "Offset", "sklearn.VestRegressor", "sklearn.VestEncoder",
)  # fmt: skip
PACKAGE = str(Path(vt.__file__).resolve().parent)
# What keeps calls short: where the signature leaves it open, these are given.
SHORT: dict[str, Any] = {
    "n_seeds": 2, "k": 2, "max_iter": 3, "threads": 1, "progress": False, "n_starts": 1,
    "nnz": 20, "budget": 30_000,
}  # fmt: skip
RAISES = dis.opmap["RAISE_VARARGS"]


class TooLong(BaseException):
    """A call that has taken longer than it may."""


class Fault(NamedTuple):
    """What went wrong: the call as text, where it ended, and how."""

    what: str
    where: str
    call: str


class Target(NamedTuple):
    """Something public that can be called, and its signature."""

    name: str
    call: Callable[..., Any]
    parameters: list[inspect.Parameter]


class Hostile:
    """Makes calls: which, and with what, depends on the seed alone."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.things = _things()
        self.targets = sorted(_targets(self.things), key=lambda each: each.name)
        self.waiting: list[int] = []
        self.made = 0

    def faults(self, calls: int) -> list[Fault]:
        """Make so many calls, every target as often as any other; return the faults."""
        found = []
        for _ in range(calls):
            self.waiting = self.waiting or self.rng.permutation(len(self.targets)).tolist()
            fault = self.one(self.targets[self.waiting.pop()])
            if fault is not None:
                found.append(fault)
        return found

    def one(self, target: Target) -> Fault | None:
        """Make one call."""
        return self.called(target, *self.arguments(target))

    def called(self, target: Target, positional: list[Any], named: dict[str, Any]) -> Fault | None:
        """Make a call with these arguments."""
        text = _as_text(target.name, positional, named)
        try:
            with _limited(LIMIT):
                result = target.call(*positional, **named)
                repr(result)
        except TooLong as slow:
            return Fault(
                f"takes more than {LIMIT} s of the processor", _ours(slow.__traceback__), text
            )
        except BaseException as error:
            why = wrong_with(error)
            return None if why is None else Fault(why, _ours(error.__traceback__), text)
        bad = not_finite(result)
        return Fault(bad, "", text) if bad else None

    def one_odd(self, each: int) -> list[Fault]:
        """Call everything with one odd argument at a time; ``each`` parameter gets so many."""
        found = []
        for target in self.targets:
            given = [
                p for p in target.parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
            ]
            for odd in given:
                for k in self.rng.choice(len(VALUES), each, replace=False):
                    named = {
                        p.name: VALUES[k] if p is odd else self.sensible(p)
                        for p in given
                        if p is odd or p.default is p.empty or p.name in SHORT
                    }
                    only = [p.name for p in given if p.kind is p.POSITIONAL_ONLY]
                    first = [named.pop(name) for name in only if name in named]
                    self.made += 1
                    faulthandler.dump_traceback_later(HANGS, exit=True)
                    fault = self.called(target, first, named)
                    found += [] if fault is None else [fault]
        faulthandler.cancel_dump_traceback_later()
        return found

    def arguments(self, target: Target) -> tuple[list[Any], dict[str, Any]]:
        """Return arguments: most of them sensible, a few of them anything."""
        share = self.rng.choice([0.0, 0.15, 0.4, 1.0], p=[0.1, 0.5, 0.3, 0.1])
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for each in target.parameters:
            if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
                continue
            needed = each.default is each.empty
            given = needed or each.name in SHORT or self.rng.random() < 0.25
            if not given or (needed and self.rng.random() < 0.01):
                continue
            value = self.anything() if self.rng.random() < share else self.sensible(each)
            if each.kind is each.KEYWORD_ONLY or len(positional) < target.parameters.index(each):
                named[each.name] = value
            else:
                positional.append(value)
        if any(each.kind is each.VAR_KEYWORD for each in target.parameters):
            named.update(self.options())
        return positional, named

    def options(self) -> dict[str, Any]:
        """Return options of `fit` for whoever hands them on."""
        known = [
            p for p in inspect.signature(vt.fit).parameters.values() if p.default is not p.empty
        ]
        picked = self.rng.choice(len(known), size=int(self.rng.integers(0, 3)), replace=False)
        return {known[k].name: self.sensible(known[k]) for k in picked}

    def sensible(self, parameter: inspect.Parameter) -> Any:
        """Return what the annotation, the name or the default asks for."""
        if parameter.name in SHORT and self.rng.random() < 0.9:
            return SHORT[parameter.name]
        choices = list(self.by_annotation(str(parameter.annotation)))
        choices += self.things.get(parameter.name, [])
        if parameter.default is not parameter.empty:
            choices.append(parameter.default)
        if not choices:
            return self.anything()
        return choices[int(self.rng.integers(len(choices)))]

    def by_annotation(self, text: str) -> Iterator[Any]:
        """Yield values of the types that an annotation names; those of aliases included."""
        for alias in re.findall(r"\b[A-Z]\w+", text):
            if alias in ALIASES:
                text += " " + ALIASES[alias]
        yield from re.findall(r"'([\w-]+)'", text)
        for name, values in self.things.items():
            if re.search(rf"\b{name}\b", text):
                yield from values
        if re.search(r"\bint\b", text):
            yield int(self.rng.integers(0, 5))
        if re.search(r"\bfloat\b", text):
            yield float(self.rng.random())
        if re.search(r"\bbool\b", text):
            yield bool(self.rng.integers(2))
        if "Iterable[int" in text or "Sequence[int" in text:
            yield tuple(self.rng.integers(1, 5, size=3).tolist())

    def anything(self, depth: int = 0) -> Any:
        """Return a value of any type."""
        rng = self.rng
        kind = int(rng.integers(12))
        if kind < 6:
            return VALUES[int(rng.integers(len(VALUES)))]
        if kind == 6:
            shape = tuple(rng.integers(0, 4, size=int(rng.integers(0, 4))).tolist())
            dtype = rng.choice(["f8", "i8", "?", "c16", "U3", "O", "M8[D]", "f4", "u1", "m8[s]"])
            return rng.integers(-2, 5, size=shape).astype(str(dtype))
        if kind == 7 and depth < 3:
            return [self.anything(depth + 1) for _ in range(int(rng.integers(0, 4)))]
        if kind == 8 and depth < 3:
            return tuple(self.anything(depth + 1) for _ in range(int(rng.integers(0, 4))))
        if kind == 9 and depth < 3:
            keys = [KEYS[int(k)] for k in rng.integers(len(KEYS), size=int(rng.integers(0, 3)))]
            return {key: self.anything(depth + 1) for key in keys}
        names = list(self.things)
        values = self.things[names[int(rng.integers(len(names)))]]
        return values[int(rng.integers(len(values)))]


class _Odd:
    """An object that cannot do anything, not even be compared."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("this cannot be compared")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "_Odd()"


KEYS = ["core", "person", "nobody", 0, 1, 7, -1, None, (0, 1), 1.5, True, "", "dish"]
# ruff: noqa: E501
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 2**31, 2**63, 10**400, -(10**30), 0.0, 0.5, 1.0, 1.5, -0.5,
    1e-320, 1e300, math.nan, math.inf, -math.inf, 1j, "", "auto", "x", "0", "core", "person", "dish",
    "\x00", "ü" * 300, "\ud800", b"bytes", bytearray(b"x"), range(3), range(10**9), slice(1, 2),
    np.float64(0.5), np.int8(2), np.nan, np.bool_(True), np.datetime64("2020-01-01"), np.str_("x"),
    np.array(3), np.array(0.5), np.zeros(0), np.zeros((0, 3)), np.ones((2, 3)), np.array([True, False]),
    np.array([[0, 0, 0]]), np.array([[99, 0, 0]]), np.array([np.nan, 1.0]), np.ma.masked,
    np.ma.array([1.0, 2.0], mask=[True, False]), np.array([{}, None], dtype=object), [], (), {}, set(),
    {1, 2}, frozenset("ab"), [[]], [[1], [2, 3]], [None], ["a", 1], [(0, 1)], {"person": 2}, {0: 1},
    {"core": np.ones((2, 2, 2))}, {"person": [([0], [0])]}, {None: None}, iter([1, 2]), iter(()),
    lambda *arguments: None, print, len, int, float, object(), object, type, Ellipsis, NotImplemented,
    np, np.random.default_rng(0), np.random.RandomState(0), np.random.SeedSequence(1), _Odd(), _Odd,
    Exception("x"), memoryview(b"ab"), dict.fromkeys(range(3)), collections.OrderedDict(a=1),
]  # fmt: skip
# Aliases whose choices a signature does not spell out: texts of Literals, found in the modules.
ALIASES: dict[str, str] = {}


def wrong_with(error: BaseException) -> str | None:
    """Say what is wrong with an error that a call raised; None if it is one of those promised."""
    ours = tuple(getattr(vt.errors, name) for name in vt.errors.__all__)
    if isinstance(error, ours):
        return None if len(str(error)) < 5_000 else "has a message of more than 5,000 characters"
    if isinstance(error, OSError) and error.errno is not None:  # what the system says of a file
        return None
    kind = type(error).__name__
    frames = list(traceback.walk_tb(error.__traceback__))
    inner, _ = frames[-1]
    file = inner.f_code.co_filename
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    said = last is not None and _raises(inner, last)
    if isinstance(error, TypeError | ValueError):
        if file == __file__ or file.startswith("<"):  # arguments do not fit the signature
            return None
        if f"{os.sep}sklearn{os.sep}" in file and PACKAGE not in file:
            return None  # an estimator's own rules, as for get_params and feature names
        if type(error) in (TypeError, ValueError) and said:
            return None
    if isinstance(error, LookupError) and said and "__getitem__" in _names(frames):
        return None  # as lists and dicts do
    return f"{kind}: {str(error)[:150]}"


def _names(frames: list[tuple[FrameType, int]]) -> set[str]:
    return {frame.f_code.co_name for frame, _ in frames}


def _raises(frame: FrameType, tb: TracebackType) -> bool:
    """Whether a frame of ours raised by a statement, and not something that it called."""
    own = frame.f_code.co_filename.startswith(PACKAGE)
    return own and frame.f_code.co_code[tb.tb_lasti] == RAISES


def not_finite(result: Any) -> str:
    """Say where a model has elements that are not finite; "" if it is none, or has none."""
    for each in result if isinstance(result, list | tuple) else [result]:
        if isinstance(each, vt.TuckerModel):
            for part in (each.core, *each.factors):
                if not np.isfinite(part).all():
                    return "a model has elements that are not finite"
    return ""


def _ours(tb: TracebackType | None) -> str:
    """Return the last line of ours that a traceback names."""
    frames = [each for each in traceback.extract_tb(tb) if each.filename.startswith(PACKAGE)]
    if not frames:
        return "before any line of ours"
    return f"{os.path.relpath(frames[-1].filename, PACKAGE)}:{frames[-1].lineno}"


def _as_text(name: str, positional: list[Any], named: dict[str, Any]) -> str:
    words = [_short(value) for value in positional]
    words += [f"{key}={_short(value)}" for key, value in named.items()]
    return f"{name}({', '.join(words)})"


def _short(value: Any) -> str:
    if isinstance(value, int) and abs(value) > 10**100:
        return "10**400"
    text = re.sub(r"\s+", " ", repr(value))
    return text if len(text) < 90 else text[:87] + "..."


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise `TooLong` in a call that takes longer of the processor, or waits for far longer.

    A call is not to blame for a machine that has much else to do.
    """

    def late(signum: int, frame: FrameType | None) -> None:
        raise TooLong

    clocks = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
    before = {number: signal.signal(number, late) for number in clocks}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 5 * seconds)
    try:
        yield
    finally:
        for number, clock in clocks.items():
            signal.setitimer(clock, 0.0)
            signal.signal(number, before[number])


@contextlib.contextmanager
def harmless() -> Iterator[None]:
    """Work in a new folder, without network and without pictures on a screen."""
    import matplotlib

    def no_network(*_: Any, **__: Any) -> Any:
        raise urllib.error.URLError("no network in tests")

    matplotlib.use("Agg")
    before, opened = Path.cwd(), urllib.request.urlopen
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        os.chdir(folder)
        stack.callback(os.chdir, before)
        urllib.request.urlopen = no_network
        stack.callback(setattr, urllib.request, "urlopen", opened)
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(warnings.catch_warnings())
        stack.enter_context(np.errstate(all="ignore"))
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            from matplotlib import pyplot

            pyplot.close("all")


def _things() -> dict[str, list[Any]]:
    """Return things to call methods of, and to give as arguments, by the names of their types."""
    from vest_tucker.sklearn import VestEncoder, VestRegressor

    X, truth = vt.datasets.synthetic((6, 5, 4), 2, nnz=80, seed=0)
    labels = {"person": list("abcdef"), "dish": [10, 20, 30, 40, 50]}
    L = vt.SparseTensor(
        X.coords, X.values, X.shape, modes=["person", "dish", "hour"], labels=labels
    )
    W = L.with_weights(np.linspace(0.5, 2.0, L.nnz))
    best = vt.fit(L, seed=0, threads=1)
    paper = vt.fit(W, 2, preset="paper", sparsity=0.3, offset="biases", max_iter=5, seed=0)
    frame = L.to_frame()
    cells, values = L.coords[:20].astype(np.int64), L.values[:20]
    regressor = VestRegressor(seed=0).fit(cells, values)
    encoder = VestEncoder(regressor=VestRegressor(seed=0)).fit(cells, values)
    best.save("model.npz")
    vt.write(L, "X.tns")
    frame.to_csv("X.csv", index=False)
    things: dict[str, list[Any]] = {
        "SparseTensor": [X, L, W],
        "TuckerModel": [best, paper, truth],
        "Path": [vt.path(L, 2, seed=0, threads=1)],
        "Stability": [vt.stability(L, 2, 2, seed=0, threads=1)],
        "Comparison": [vt.compare({"a": best}, L)],
        "CrossValidation": [vt.cross_validate(L, 2, ranks=2, preset="paper", seed=0, max_iter=2)],
        "Description": [best.describe()],
        "Explanation": [best.explain([("a", 10, 0)])],
        "ImportanceTable": [best.importance()],
        "Recommendations": [best.recommend({"person": "a", "hour": 0}, along="dish")],
        "Residuals": [best.residuals(L)],
        "ModelPlots": [best.plot],
        "Offset": [paper.offset],
        "IterationRecord": [paper.history[0]],
        "VestRegressor": [regressor, VestRegressor()],
        "VestEncoder": [encoder, VestEncoder()],
        "frame": [frame, frame.head(0), frame[["value"]]],
        "cells": [cells[:3], [("a", 10, 0)], frame.head(3), {"person": ["a"], "dish": [10]}, L],
        "ArrayLike": [cells, values, np.ones((6, 5, 4)), np.eye(3)],
        "mode": ["person", "dish", "hour", 0, 1, 2, -1, 3],
        "modes": [["person", "dish", "hour"], None],
        "label": ["a", 10, 0, "z"],
        "given": [{"person": "a", "hour": 0}, {"person": "a"}, {}],
        "along": ["dish", 1],
        "path": ["out.npz", "out.html", "X.tns", "X.csv", "model.npz", "nowhere/x.npz", "."],
        "checkpoint": ["cp.npz", None],
        "ranks": [2, (2, 2, 2), "auto", {"person": 2}],
        "shape": [(6, 5, 4), (3, 3), (10, None, 4)],
        "Generator": [np.random.default_rng(1)],
        "backend": ["pandas", "polars", "pyarrow", None],
        "ax": [None],
        "figure": [None],
    }  # fmt: skip
    things["X"] = things["SparseTensor"]
    things["y"] = [values, values[:3]]
    things["models"] = [{"a": best}, [best], best]
    return things


def _targets(things: dict[str, list[Any]]) -> Iterator[Target]:
    """Yield every public function and every public method of everything public."""
    public: dict[str, Any] = {name: getattr(vt, name) for name in vt.__all__}
    public |= {f"datasets.{name}": getattr(vt.datasets, name) for name in vt.datasets.__all__}
    from vest_tucker import sklearn

    public |= {f"sklearn.{name}": getattr(sklearn, name) for name in sklearn.__all__}
    for name, thing in public.items():
        if inspect.ismodule(thing) or isinstance(thing, str):
            continue
        _learn_aliases(thing)
        if not inspect.isclass(thing) or name in MADE_BY_USERS:
            yield Target(name, thing, _parameters(thing))
        for each in things.get(name.rpartition(".")[2], []) if inspect.isclass(thing) else []:
            for method, function in inspect.getmembers(thing):
                said = getattr(inspect.unwrap(function), "__code__", None)
                own = said is not None and said.co_filename.startswith(PACKAGE)
                if own and (method in SPECIAL or not method.startswith("_")):
                    bound = getattr(each, method)
                    yield Target(f"{name}.{method}", bound, _parameters(bound))


def _parameters(call: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(call).parameters.values())
    except ValueError:  # a method of a class in C, which has no signature
        return []


def _learn_aliases(thing: Any) -> None:
    """Look up the names of types in the module of a function or class, for their Literals."""
    module = sys.modules.get(getattr(inspect.unwrap(thing), "__module__", ""), None)
    code = getattr(inspect.unwrap(thing), "__globals__", None)
    for name, value in (code or vars(module or vt)).items():
        if typing.get_origin(value) is not None:
            ALIASES.setdefault(name, str(value))


def report(found: list[Fault], calls: int) -> str:
    """Return faults as text, those of the same place together and the most frequent first."""
    groups = collections.defaultdict(list)
    for fault in found:
        groups[fault.where, fault.what[:40]].append(fault)
    lines = [f"{len(found)} faults in {calls} calls, of {len(groups)} kinds"]
    for (where, _), each in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        lines += [f"{len(each)} x {where}: {each[0].what}", f"    {each[0].call}"]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Make calls and print the faults."""
    one_odd = arguments[:1] == ["each"]
    arguments = arguments[one_odd:]
    calls = int(arguments[0]) if arguments else 4_000
    seed = int(arguments[1]) if len(arguments) > 1 else 0
    shown = sys.stdout
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    with harmless():
        hostile = Hostile(seed)
        found = hostile.one_odd(calls) if one_odd else []
        calls = hostile.made if one_odd else calls
        for _ in range(0 if one_odd else calls):
            faulthandler.dump_traceback_later(HANGS, exit=True)
            found += hostile.faults(1)
        faulthandler.cancel_dump_traceback_later()
    print(report(found, calls), file=shown)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
