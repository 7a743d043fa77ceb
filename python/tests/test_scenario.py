"""Scenarios as plain data: filled, changed, written, read back."""

from __future__ import annotations

import copy
import pathlib
import pickle

import numpy as np
import pytest
from helpers import handle

import polhode


def test_fields_are_the_keys_of_files() -> None:
    one = polhode.Scenario()
    one.title = "by field"
    one.parameters["spin"] = 15.0
    one.body.principal_moments = np.array([2.0, 1.0, 3.0])
    one.initial.w_body = ("spin", 0.001, 0)
    one.run.duration = np.float64(10)
    one.event.append({"name": "flip", "rate_body": "x"})
    assert one.event[0].rate_body == "x"
    assert one.event.named("flip") is one.event[0]
    text = one.to_toml()
    assert 'w_body = ["spin", 0.001, 0]' in text
    assert polhode.Scenario.from_toml(text) == one


def test_every_example_reads_and_writes_the_same(examples: list[pathlib.Path]) -> None:
    assert len(examples) > 20
    for path in examples:
        scenario = polhode.Scenario.read(path)
        again = polhode.Scenario.from_toml(scenario.to_toml())
        assert again == scenario, path
        assert again.hash() == scenario.hash(), path
        assert pickle.loads(pickle.dumps(scenario)) == scenario
        other = copy.deepcopy(scenario)
        other.run.duration = 12345.0
        assert other != scenario


def test_mistakes_are_told_all_at_once_with_their_paths() -> None:
    wrong = handle()
    wrong.run.duration = [1, 2]
    wrong.initial.w_body = [1, 2]
    wrong.load.append({"kind": "sprong"})
    with pytest.raises(polhode.Error) as caught:
        wrong.to_toml()
    places = [one.file for one in caught.value.problems]
    assert places == ["initial.w_body", "load[0].kind", "run.duration"]
    assert "did you mean 'spring'?" in str(caught.value)
    with pytest.raises(AttributeError, match="did you mean 'principal_moments'"):
        wrong.body.principal_moment = [1, 2, 3]
    with pytest.raises(polhode.Error, match="nan is not finite"):
        polhode.Scenario(title="", run={"duration": float("nan")}).to_toml()
    with pytest.raises(polhode.Error) as broken:
        polhode.Scenario.from_toml("title = 3\n", file="some.toml")
    assert broken.value.problems[0].line == 1
    assert pickle.loads(pickle.dumps(caught.value)).problems == caught.value.problems


def test_parameters_are_a_mapping() -> None:
    top = polhode.Scenario.from_toml('title = "top"\n[parameters]\nspin = 3\n[body]\nprincipal_moments = [1, 1, "spin"]\n')
    assert dict(top.parameters) == {"spin": 3.0}
    faster = top.with_parameters(spin=4.0)
    assert faster.parameters["spin"] == 4.0 and top.parameters["spin"] == 3.0
    with pytest.raises(polhode.Error, match="did you mean 'spin'"):
        top.with_parameters(spni=1.0)
