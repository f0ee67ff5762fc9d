"""The configuration: what is right is taken, what is wrong is one sentence and the default."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_nvim.config import Defaults, McpServer, NamedValue, Options, parse
from acp_nvim.errors import UserError
from acp_nvim.paths import SAME
from acp_nvim.workspace.launching import editor_tools, launch

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = [
    "default_agent",
    "agents",
    "mcp_servers",
    "additional_directories",
    "python",
    "follow",
    "permission",
    "terminal",
    "fs",
    "ui",
    "default_keys",
    "log",
    "command",
    "args",
    "env",
    "name",
    "type",
    "url",
    "headers",
    "value",
    "width",
    "layout",
    "level",
    "read",
    "defaults",
    "config",
    "mode",
    "paths",
    "/there",
]
configurations = st.recursive(
    json_values,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
        | st.dictionaries(st.integers(), inner, max_size=2)
    ),
    max_leaves=20,
)

FULL: dict[str, Any] = {
    "default_agent": "gemini",
    "agents": {
        "gemini": {"command": "gemini", "args": ["--acp"], "env": {"KEY": "value"}},
        "mine": {"command": "/opt/agent", "args": [], "env": {}, "cwd": "/x", "protocol": 1},
    },
    "mcp_servers": [
        {"name": "files", "command": "/usr/bin/mcp-files", "args": [], "env": {"A": "b"}},
        {"name": "web", "type": "http", "url": "https://x", "headers": []},
    ],
    "additional_directories": ["/a"],
    "python": "/usr/bin/python3",
    "follow": {"enabled": True},
    "permission": {"focus": "auto"},
    "terminal": {"enabled": False, "output_byte_limit": 1024},
    "fs": {"read": True, "write": False},
    "ui": {"layout": "float", "width": 0.5},
    "restore": True,
    "default_keys": False,
    "log": {"level": "debug"},
}


@pytest.mark.parametrize("raw", [None, {}, [], {"python": None, "ui": []}, {"agents": []}])
def test_nothing_given_is_the_defaults(raw: object) -> None:
    assert parse(raw) == (Options(), ())


def test_the_defaults_are_those_of_the_documentation() -> None:
    options = Options()
    assert options.default_agent is None
    assert options.follow.enabled is False
    assert options.permission.focus == "never"
    assert options.terminal.output_byte_limit == 1048576
    assert (options.fs.read, options.fs.write) == (True, True)
    assert (options.ui.layout, options.ui.width) == ("right", 0.4)
    assert options.default_keys is True
    assert options.log.level == "info"


def test_all_keys() -> None:
    options, problems = parse(FULL)
    assert problems == ()
    assert options.agents["gemini"].args == ("--acp",)
    assert options.agents["gemini"].env == {"KEY": "value"}
    assert options.agents["mine"].args == ()
    assert options.agents["mine"].cwd == "/x"
    assert options.mcp_servers == (
        McpServer(
            name="files", command="/usr/bin/mcp-files", env=(NamedValue(name="A", value="b"),)
        ),
        McpServer(name="web", type="http", url="https://x"),
    )
    assert options.additional_directories == ("/a",)
    assert options.ui.width == 0.5
    assert options.fs.write is False


@pytest.mark.parametrize(
    ("given", "taken", "said"),
    [
        ("last", "last", ""),
        ([], Defaults(), ""),
        ({"config": []}, Defaults(), ""),
        (
            {"mode": "plan", "model": "big", "config": {"web": True, "think": "low"}},
            Defaults(mode="plan", model="big", config={"web": True, "think": "low"}),
            "",
        ),
        ("lost", Defaults(), "defaults must be a table, or 'last' for what was chosen last"),
        (7, Defaults(), "defaults must be a table, not 7"),
        ({"mod": "x"}, Defaults(), "defaults.mod is unknown: did you mean mode?"),
        (
            {"config": {"web": [1], "think": "low"}},
            Defaults(config={"think": "low"}),
            "defaults.config.web must be a string, or true or false, not a list",
        ),
    ],
)
def test_what_a_new_session_is_set_to(given: Any, taken: Any, said: str) -> None:
    options, problems = parse({"agents": {"x": {"command": "x", "defaults": given}}})
    assert options.agents["x"].defaults == taken
    assert [said in it for it in problems] == ([True] if said else [])


def test_an_agent_entry_may_leave_out_what_the_preset_says() -> None:
    options, problems = parse({"agents": {"gemini": {"env": []}}})
    assert problems == ()
    assert options.agents["gemini"].command is None
    assert options.agents["gemini"].args is None


def test_a_wrong_folder_spoils_no_other() -> None:
    options, problems = parse({"agents": {"g": {"paths": {"a": "/b", "/c": "/d", "/e": 1}}}})
    assert len(problems) == 2
    assert options.agents["g"].paths == {"/c": "/d"}


@pytest.mark.parametrize(
    ("argv", "here", "there"),
    [
        (["ssh", "host", "agent"], True, True),
        (["docker", "run", "-i", "image", "agent"], False, False),
        (["agent"], True, False),
    ],
)
def test_commands_of_an_agent_run_where_it_does(argv: list[str], here: bool, there: bool) -> None:
    own = {"command": argv[0], "args": argv[1:]}
    with_paths = {**own, "paths": {"/there": "/here"}}
    options, problems = parse({"agents": {"a": own, "b": with_paths, "c": {**own, "paths": []}}})
    assert problems == ()
    plans = {it: launch(it, options, root="/", cwd="/p") for it in options.agents}
    assert plans["b"].capabilities.terminal == here
    assert (plans["b"].there is not None) == there
    for plain in (plans["a"], plans["c"]):
        assert (plain.capabilities.terminal, plain.there, plain.paths) == (True, None, SAME)


@pytest.mark.parametrize(
    "url", ["ws://x", "wss://x.y/acp", "http://[::1]:8/a?b=c", "https://127.0.0.1:7331/acp"]
)
def test_an_agent_may_be_an_address(url: str) -> None:
    options, problems = parse({"agents": {"far": {"url": url, "headers": {"A": ""}, "fs": True}}})
    assert problems == ()
    plan = launch("far", options, root="/", cwd="/p")
    assert plan.remote is not None and plan.remote.url == url
    assert (plan.read_files, plan.terminals, plan.terminal_login) == (True, False, False)
    assert url not in repr(plan)


def test_an_agent_without_a_program_is_not_unknown() -> None:
    options, problems = parse({"agents": {"mine": {"command": ["mine", "--acp"]}}})
    assert len(problems) == 1
    with pytest.raises(UserError, match=r"vim\.g\.acp\.agents\.mine names no program: command ="):
        launch("mine", options, root="/", cwd="/p")


@pytest.mark.parametrize("env", [{"A": "b"}, [{"name": "A", "value": "b"}]])
def test_an_environment_is_a_map_or_a_list_of_pairs(env: object) -> None:
    options, problems = parse({"mcp_servers": [{"name": "n", "command": "/c", "env": env}]})
    assert problems == ()
    assert options.mcp_servers[0].env == (NamedValue(name="A", value="b"),)


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (5, "vim.g.acp must be a table, not 5"),
        ({"defualt_agent": "x"}, "vim.g.acp.defualt_agent is unknown: did you mean default_agent?"),
        ({"ui": {"widht": 1}}, "vim.g.acp.ui.widht is unknown: did you mean width?"),
        (
            {"agents": {"g": {"comand": "c"}}},
            "vim.g.acp.agents.g.comand is unknown: did you mean command?",
        ),
        ({"log": {"zzz": 1}}, "vim.g.acp.log.zzz is unknown: known are level"),
        (
            {"ui": {"width": "wide"}},
            "vim.g.acp.ui.width must be a number between 0 and 1, not 'wide'",
        ),
        ({"ui": {"width": 3}}, "vim.g.acp.ui.width must be a number between 0 and 1, not 3"),
        ({"ui": {"width": True}}, "vim.g.acp.ui.width must be a number between 0 and 1, not true"),
        (
            {"ui": {"layout": "up"}},
            "vim.g.acp.ui.layout must be 'right', 'left', 'bottom', 'tab' or 'float', not 'up'",
        ),
        (
            {"permission": {"focus": "x"}},
            "vim.g.acp.permission.focus must be 'never' or 'auto', not 'x'",
        ),
        ({"default_keys": 1}, "vim.g.acp.default_keys must be true or false, not 1"),
        ({"default_agent": 5}, "vim.g.acp.default_agent must be a string, not 5"),
        ({"log": "debug"}, "vim.g.acp.log must be a table, not 'debug'"),
        ({"agents": 5}, "vim.g.acp.agents must be a table, not 5"),
        ({"agents": {"g": 5}}, "vim.g.acp.agents.g must be a table, not 5"),
        ({"agents": {"g": {"args": "x"}}}, "vim.g.acp.agents.g.args must be a list, not 'x'"),
        (
            {"agents": {"g": {"protocol": 3}}},
            "vim.g.acp.agents.g.protocol must be 1, 2 or 'auto', not 3",
        ),
        (
            {"agents": {"g": {"url": "https://me:secret@x"}}},
            "vim.g.acp.agents.g.url must be the address of an agent: ws://, wss://, http:// or "
            "https://, with a host, without a user",
        ),
        (
            {"agents": {"g": {"url": "ws://x", "fs": 1}}},
            "vim.g.acp.agents.g.fs must be true or false, not 1",
        ),
        (
            {"agents": {"g": {"paths": {"/a": "b"}}}},
            "vim.g.acp.agents.g.paths['/a'] must be an absolute path without '..', not 'b'",
        ),
        (
            {"agents": {"g": {"paths": {"a": "/b"}}}},
            "vim.g.acp.agents.g.paths.a must be an absolute path without '..', not 'a'",
        ),
        (
            {"agents": {"g": {"paths": {"/a/../b": "/c"}}}},
            "vim.g.acp.agents.g.paths['/a/../b'] must be an absolute path without '..', "
            "not '/a/../b'",
        ),
        (
            {"agents": {"g": {"paths": {"/a": "/c", "/b": "/c/"}}}},
            "vim.g.acp.agents.g.paths must be without a folder that has two names: /c stands twice",
        ),
        (
            {"agents": {"g": {"paths": {"/a": "/b", "//a/.": "/c"}}}},
            "vim.g.acp.agents.g.paths must be without a folder that has two names: /a stands twice",
        ),
        (
            {"agents": {"g": {"paths": ["/a"]}}},
            "vim.g.acp.agents.g.paths must be a table, not a list",
        ),
        (
            {"agents": {"g": {"env": {"A": 1}}}},
            "vim.g.acp.agents.g.env.A must be a string, not 1",
        ),
        (
            {"terminal": {"output_byte_limit": 0}},
            "vim.g.acp.terminal.output_byte_limit must be a whole number above 0, not 0",
        ),
        (
            {"additional_directories": ["a"]},
            "vim.g.acp.additional_directories[1] must be an absolute path, not 'a'",
        ),
        (
            {"mcp_servers": [{"name": "n", "command": "npx"}]},
            "vim.g.acp.mcp_servers[1].command must be an absolute path, not 'npx'",
        ),
        ({"mcp_servers": [{"name": "n"}]}, "vim.g.acp.mcp_servers[1].command is missing"),
        (
            {"mcp_servers": [{"name": "n", "type": "sse"}]},
            "vim.g.acp.mcp_servers[1].url is missing",
        ),
        ({"mcp_servers": [{"command": "/c"}]}, "vim.g.acp.mcp_servers[1].name is missing"),
    ],
)
def test_one_sentence_for_each_problem(raw: object, sentence: str) -> None:
    _, problems = parse(raw)
    assert problems == (sentence,)


def test_only_the_wrong_key_gets_its_default() -> None:
    options, problems = parse({"ui": {"width": "wide", "layout": "left"}, "log": {"level": 5}})
    assert (options.ui.layout, options.ui.width) == ("left", 0.4)
    assert options.log.level == "info"
    assert len(problems) == 2


def test_a_wrong_item_of_a_list_is_left_out_and_the_others_keep_their_numbers() -> None:
    options, problems = parse(
        {
            "mcp_servers": [
                {"name": "a"},
                {"name": "b", "command": "/b"},
                {"name": "c", "command": "/c", "headers": [{"nam": "h"}]},
            ]
        }
    )
    assert [server.name for server in options.mcp_servers] == ["b", "c"]
    assert problems == (
        "vim.g.acp.mcp_servers[1].command is missing",
        "vim.g.acp.mcp_servers[3].headers[1].nam is unknown: did you mean name?",
        "vim.g.acp.mcp_servers[3].headers[1].name is missing",
        "vim.g.acp.mcp_servers[3].headers[1].value is missing",
    )


@settings(deadline=None, derandomize=True)
@given(configurations)
def test_any_configuration_gives_options(raw: object) -> None:
    options, problems = parse(raw)
    assert isinstance(options, Options)
    assert all(sentence.startswith("vim.g.acp") for sentence in problems)


def test_options_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Options().python = "x"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("own", "tools"),
    [
        (None, True),
        ({"editor": False}, False),
        ({"editor": ["diagnostics"]}, ("diagnostics",)),
        ({"url": "wss://x/acp"}, False),
        ({"url": "wss://x/acp", "editor": True}, True),
        ({"url": "wss://x/acp", "editor": ["read_file"]}, ("read_file",)),
    ],
)
def test_an_agent_elsewhere_has_the_tools_that_are_named(own: Any, tools: object) -> None:
    options, problems = parse({"agents": {"a": own or {}}})
    assert not problems
    assert editor_tools("a", options) == tools
    assert editor_tools("other", options) is True
