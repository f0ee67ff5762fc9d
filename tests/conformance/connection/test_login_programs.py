"""What a login runs is on screen whole before it runs, and is the user's program and no other."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.client.login import MOST_SHOWN
from acp_nvim.session.environment import is_dangerous
from tests.conformance.connection.logins import LoginStage

DANGEROUS = """
    PATH LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS NODE_PATH PYTHONSTARTUP
    PYTHONHOME BASH_ENV ENV IFS GIT_SSH_COMMAND GIT_EXTERNAL_DIFF PERL5OPT PERL5LIB RUBYOPT RUBYLIB
    JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS SHELL PAGER GIT_PAGER EDITOR VISUAL BROWSER
    HTTPS_PROXY npm_config_prefix HOME NVIM VIMINIT
"""


def method(**fields: Any) -> dict[str, Any]:
    return {"id": "tty", "name": "In a terminal", "type": "terminal", **fields}


@pytest.mark.parametrize("field", ["name", "description"])
async def test_a_long_name_hides_nothing(field: str) -> None:
    async with LoginStage() as stage:
        offered = method(args=["--exec", "rm -rf ~"], env={"MODE": "login"})
        await stage.refused([offered | {field: "safe " * 2000 + "\n" * 50}])
        await stage.log_in().done()
        label = stage.chooser.offered[-1][1][0]
        assert "runs scripted --exec 'rm -rf ~' in a terminal, with MODE=login" in label
        assert len(label) < 250
        assert "\n" not in label


@pytest.mark.parametrize(
    "name",
    ["PATH", "LD_PRELOAD", "ld_preload", "NODE_OPTIONS", "PYTHONPATH", "IFS", "A B", "", "=x"],
)
async def test_a_variable_that_chooses_another_program_is_refused(name: str) -> None:
    async with LoginStage() as stage:
        await stage.refused([method(env={"MODE": "x", name: "/tmp/evil"})])
        said = await stage.log_in("tty").done()
        assert "refused" in said
        assert stage.terminals.programs == []


@pytest.mark.parametrize("argument", ["x" * MOST_SHOWN, "a\nb", "\x1b[2J", "\u202e"])
async def test_what_cannot_be_shown_as_it_is_is_not_run(argument: str) -> None:
    async with LoginStage() as stage:
        await stage.refused([method(args=[argument])])
        assert "cannot be shown" in await stage.log_in("tty").done()
        assert stage.terminals.programs == []


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "DYLD_INSERT_LIBRARIES",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PYTHONSTARTUP",
        "PYTHONHOME",
        "BASH_ENV",
        "ENV",
        "IFS",
        "GIT_SSH_COMMAND",
        "GIT_EXTERNAL_DIFF",
        "PERL5OPT",
        "PERL5LIB",
        "RUBYOPT",
        "RUBYLIB",
        "JAVA_TOOL_OPTIONS",
        "_JAVA_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "SHELL",
        "PAGER",
        "GIT_PAGER",
        "EDITOR",
        "VISUAL",
        "BROWSER",
        "HTTPS_PROXY",
        "npm_config_prefix",
        "HOME",
        "NVIM",
        "VIMINIT",
        "GOFLAGS",
        "GOROOT",
        "ELECTRON_RUN_AS_NODE",
        "BUN_OPTIONS",
        "HOSTALIASES",
        "RES_OPTIONS",
        "KUBECONFIG",
        "DOCKER_HOST",
        "SUDO_ASKPASS",
        "MAKEFLAGS",
        "JRUBY_OPTS",
        "REQUESTS_CA_BUNDLE",
        "GTK_MODULES",
        "DBUS_SESSION_BUS_ADDRESS",
        "DISPLAY",
        "INPUTRC",
        "AWS_ENDPOINT_URL_S3",
        "TERMINFO",
    ],
)
def test_names_that_are_dangerous(name: str) -> None:
    assert is_dangerous(name)


@pytest.mark.parametrize(
    "name",
    [
        "MODE",
        "GEMINI_LOGIN",
        "GOOGLE_API_KEY",
        "API_KEY",
        "TERM",
        "NO_COLOR",
        "CODEX_HOME",
        "CLAUDE_CONFIG_DIR",
        "GOOGLE_CLOUD_PROJECT",
    ],
)
def test_names_that_are_not(name: str) -> None:
    assert not is_dangerous(name)
