"""Warnings of many fits, told once."""

from __future__ import annotations

import warnings

import pytest

from vest_tucker.base.errors import CheckpointWarning
from vest_tucker.studies.heard import Heard


def test_each_kind_is_told_once_with_its_number_of_fits() -> None:
    heard = Heard()
    for said in (["a", "a", "b"], ["a"], ["c"]):
        with heard.listening():
            for text in said:
                warnings.warn(text, UserWarning, stacklevel=1)
        if said != ["c"]:  # a fit that is not used
            heard.keep()
    with pytest.warns(UserWarning, match="fits") as caught:
        heard.tell(3)
    told = sorted(str(each.message) for each in caught)
    assert told == ["a (in 2 of 3 fits)", "b (in 1 of 3 fits)"]
    assert {each.filename for each in caught} == {__file__}


def test_silence_is_not_told() -> None:
    heard = Heard()
    with heard.listening():
        pass
    heard.keep()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        heard.tell(1)


def test_a_checkpoint_that_cannot_be_written_is_told_at_once() -> None:
    heard = Heard()
    with warnings.catch_warnings(record=True) as caught, heard.listening():
        warnings.warn("the disk is full", CheckpointWarning, stacklevel=1)
        assert [str(each.message) for each in caught] == ["the disk is full"]
    heard.keep()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        heard.tell(1)  # and not again
