"""What the programs that we start get of the user's environment."""

from __future__ import annotations

import pytest

from acp_nvim.workspace.launching import environment, environment_of_python

OF_PYTHONS = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONINSPECT")
OF_PACKAGES = ("VIRTUAL_ENV", "PIP_TARGET", "PIP_REQUIRE_VIRTUALENV", "UV_PYTHON", "UV_OVERRIDE")
OTHERS = ("PYTHON", "PIP_INDEX_URL", "PIP_CERT", "UV_INDEX", "UV_PYTHON_DOWNLOADS", "MYPYTHONPATH")


def test_agents_get_all_and_a_program_of_pythons_what_is_not_for_pythons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = {*OF_PYTHONS, *OF_PACKAGES, *OTHERS}
    for name in names:
        monkeypatch.setenv(name, "x")
    assert names <= environment().keys()
    assert names & environment_of_python().keys() == set(OTHERS)
