"""Changes beside what they are changes of, seed by seed."""

from __future__ import annotations

from dataclasses import dataclass

from experiments.summary.rows import Document, Spread, paired, pick, spread

AS_IT_IS = "as it is"


@dataclass(frozen=True)
class Effect:
    """A change: how much more test error it makes, relatively, and what it ends with."""

    base: str
    change: str
    test: Spread | None  # relative, seed by seed
    error: Spread | None
    zeros: Spread | None

    @property
    def matters(self) -> bool:
        """Whether the interval of 95 % leaves zero out."""
        return self.test is not None and abs(self.test.mean) > self.test.half


def effects(document: Document, tensor: str) -> list[Effect]:
    """Return all changes on one tensor, in the order in which they were made."""
    rows = pick(document, "figure8", set=tensor)
    order = dict.fromkeys((row["settings"]["base"], row["settings"]["change"]) for row in rows)
    found = []
    for base, change in order:
        some = pick(document, "figure8", set=tensor, base=base, change=change)
        plain = pick(document, "figure8", set=tensor, base=base, change=AS_IT_IS)
        found.append(
            Effect(
                base,
                change,
                paired(plain, some, "test"),
                spread(some, "test"),
                spread(some, "zeros"),
            )
        )
    return found
