"""A round of tasks, each of which works on all shards of a thread of a worker.

So a round costs as little of the scheduler's time as there are threads, however many shards there
are. A task's answer is a list with an item for each of its shards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NOWHERE = ""  # where a shard lies that is made anew just now


@dataclass(frozen=True)
class Group:
    """The shards of a task, by their numbers, and the worker that has them."""

    worker: str
    numbers: Sequence[int]


@dataclass(frozen=True)
class Round:
    """Tasks that were given to the cluster, for some workers, and the numbers of their answers."""

    futures: Sequence[Any]
    numbers: Sequence[Sequence[int]]
    workers: frozenset[str] = frozenset()

    def in_order(self, answers: Sequence[Sequence[Any]]) -> list[Any]:
        """Return all answers by their numbers."""
        by_number = {
            number: answer
            for numbers, own in zip(self.numbers, answers, strict=True)
            for number, answer in zip(numbers, own, strict=True)
        }
        return [by_number[number] for number in range(len(by_number))]


@dataclass
class Answers:
    """The answers of a round, which stay on the workers, and how to get them again."""

    again: Callable[[], Round]
    round: Round


@dataclass(frozen=True)
class Kept:
    """One of the answers that stay on the workers."""

    answers: Answers
    number: int


def groups_of(homes: Sequence[str], threads: Mapping[str, int]) -> list[Group]:
    """Return the shards of a mode as tasks take them; one that is nowhere has a task of its own.

    Threads of a worker are dealt its shards there and back, as shards are dealt to workers.

    Examples
    --------
    >>> for group in groups_of(["a", "b", "a", "a", "", "a"], {"a": 2, "b": 1}):
    ...     print(group.worker or "nowhere", group.numbers)
    a [0, 5]
    a [2, 3]
    b [1]
    nowhere [4]
    """
    own: dict[str, list[int]] = {}
    for number, home in enumerate(homes):
        own.setdefault(home, []).append(number)
    alone = [Group(NOWHERE, [number]) for number in own.pop(NOWHERE, [])]
    found = []
    for worker, numbers in own.items():
        hands: list[list[int]] = [[] for _ in range(min(threads.get(worker, 1), len(numbers)))]
        for at, number in enumerate(numbers):
            turn, place = divmod(at, len(hands))
            hands[place if turn % 2 == 0 else -1 - place].append(number)
        found += [Group(worker, each) for each in hands]
    return [*found, *alone]


def asked_of(
    kept: Sequence[Kept],
) -> tuple[list[Any], list[list[int]], list[list[int]]]:
    """Return which tasks have answers that were kept, their places in these, and their numbers.

    The numbers are those of ``kept``.
    """
    sources = {id(each.answers): each.answers for each in kept}
    wanted = {(id(each.answers), each.number): at for at, each in enumerate(kept)}
    futures, places, numbers = [], [], []
    for source, answers in sources.items():
        for future, own in zip(answers.round.futures, answers.round.numbers, strict=True):
            here = [place for place, number in enumerate(own) if (source, number) in wanted]
            if here:
                futures.append(future)
                places.append(here)
                numbers.append([wanted[source, own[place]] for place in here])
    return futures, places, numbers


def answers_of(
    function: Callable[..., Any],
    answers: Sequence[Any],
    places: Sequence[int],
    *columns: Sequence[Any],
) -> list[Any]:
    """Return ``function(answer, *args)`` of some answers of a task, each with its own arguments."""
    return [function(answers[place], *args) for place, *args in zip(places, *columns, strict=True)]
