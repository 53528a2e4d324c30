"""What is updated when."""

from __future__ import annotations

from vest_tucker.fitting.schedule import Schedule


def test_the_papers_schedule_updates_everything_and_prunes_at_once() -> None:
    schedule = Schedule()
    assert schedule.before_pruning == 0
    assert not schedule.core_joins_late
    assert all(schedule.updates_core(t) and schedule.updates_factor(t) for t in range(1, 5))


def test_a_core_that_joins_late_has_its_turns_after_the_factors_have_settled() -> None:
    schedule = Schedule(modes=(0, 2), settle=15, core_turns=4)
    assert [t for t in range(1, 30) if schedule.updates_core(t)] == [16, 17, 18, 19]
    assert [mode for mode in range(3) if schedule.updates_factor(mode)] == [0, 2]
    assert schedule.before_pruning == 19


def test_a_core_without_turns_is_never_updated() -> None:
    schedule = Schedule(modes=(0, 1), settle=15, core_turns=0)
    assert not any(schedule.updates_core(t) for t in range(1, 40))
