"""What single labels do."""

from __future__ import annotations

from reports import biased, constant, factored
from vest_tucker.report.sections.effects import address, effects, effects_sentence
from vest_tucker.report.tables import ModelTables


def test_a_part_for_each_mode_with_biases() -> None:
    tables = ModelTables(biased())
    text = effects(tables)
    assert text is not None
    assert text.count("<h3") == 3
    assert "Biases of person" in text


def test_effects_of_constant_models() -> None:
    tables = ModelTables(constant())
    text = effects(tables)
    assert text is not None
    assert "Effects of person" in text
    first = tables.effects[0]
    assert f'id="{address(first)}"' in text
    label, effect = first.pole(up=True, n=1)[0]
    assert f'<b dir="auto">{label}</b> (+{effect:.3g}' in effects_sentence(first)


def test_models_without() -> None:
    assert effects(ModelTables(factored())) is None
