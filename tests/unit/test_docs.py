"""The manual and the code say the same: `doc/acp.txt`, `doc/acp-reference.txt`, README.md.

Lua is asked by one headless Neovim without a user's configuration; it starts no host.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from acp_nvim.agents import PRESETS
from acp_nvim.commands.decode import taken
from acp_nvim.commands.verbs import VERBS, handler_of
from acp_nvim.config import NamedValue, Options, parse
from acp_nvim.history.author import Author
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.session.state import SessionState
from acp_nvim.view.snapshot import edits_snapshot, snapshot
from acp_nvim.workspace.launching import PRIVATE
from tests.support.nvim import ROOT, binary

GUIDE = (ROOT / "doc" / "acp.txt").read_text(encoding="utf-8")
REFERENCE = (ROOT / "doc" / "acp-reference.txt").read_text(encoding="utf-8")
MANUAL = GUIDE + REFERENCE
README = (ROOT / "README.md").read_text(encoding="utf-8")
MESSAGES = (ROOT / "doc" / "messages.md").read_text(encoding="utf-8")
TAGS = re.findall(r"(?<!\S)\*(\S+)\*(?!\S)", MANUAL)

EVENTS = {
    "AcpConnected",
    "AcpDisconnected",
    "AcpSessionStarted",
    "AcpSessionClosed",
    "AcpTurnStarted",
    "AcpTurnEnded",
    "AcpToolCall",
    "AcpPermissionRequested",
    "AcpPermissionAnswered",
    "AcpElicitationRequested",
    "AcpFileRead",
    "AcpFileWritten",
    "AcpLocation",
    "AcpModeChanged",
    "AcpUsage",
}


def tagged(pattern: str) -> set[str]:
    """Return group 1 of the pattern in each tag that it matches as a whole."""
    return {found[1] for tag in TAGS if (found := re.fullmatch(pattern, tag))}


def chapter(tag: str) -> str:
    """Return the text between the rule above the heading with that tag and the next rule."""
    chapters = re.split(r"^={78}$", MANUAL, flags=re.MULTILINE)
    return next(text for text in chapters if f"*{tag}*" in text.split("\n")[1])


def code_blocks(text: str, language: str = "lua") -> list[str]:
    """Return the examples of a text in that language."""
    return re.findall(rf">{language}\n(.*?)^<", text, re.MULTILINE | re.DOTALL)


def lua(code: str) -> Any:
    """Return what Lua code returns; the plugin is on the runtime path and not yet sourced."""
    ours = {"VIM", "VIMRUNTIME", "NVIM", "NVIM_LISTEN_ADDRESS", "MYVIMRC", "NVIM_APPNAME"}
    environment = {key: value for key, value in os.environ.items() if key not in ours}
    run = subprocess.run(
        [binary(), "-u", "NONE", "-i", "NONE", "-n", "--cmd", f"set rtp^={ROOT}", "-l", "-"],
        input=f"io.stdout:write(vim.json.encode((function() {code} end)()))",
        env=environment | {"NVIM_LOG_FILE": os.devnull},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@cache
def code() -> dict[str, Any]:
    """Return the names that Lua knows."""
    return dict(
        lua(
            """
            vim.cmd.runtime('plugin/acp.lua')
            local function plugs(mode)
              return vim.tbl_map(function(map) return map.lhs end, vim.api.nvim_get_keymap(mode))
            end
            local function name(sub) return sub.name end
            return {
              commands = vim.tbl_map(name, require('acp.command.subcommands').list),
              user_commands = vim.tbl_keys(vim.api.nvim_get_commands({})),
              plugs = vim.iter({ 'n', 'x', 'o' }):map(plugs):flatten():totable(),
              functions = vim.tbl_keys(require('acp')),
              links = require('acp.ui.highlights').links,
            }
            """
        )
    )


def sources(*patterns: str) -> Iterator[str]:
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            yield path.read_text(encoding="utf-8")


# --- the manual and the code


def test_each_sub_command_is_documented_and_each_documented_one_exists() -> None:
    assert tagged(r":Acp-([a-z]+)") == set(code()["commands"])


def test_each_command_is_documented() -> None:
    assert tagged(r":(Acp\w*)") == {name for name in code()["user_commands"] if "Acp" in name}


def test_each_mapping_is_documented_and_each_documented_one_exists() -> None:
    plugs = {name for name in code()["plugs"] if name.startswith("<Plug>(acp-")}
    assert tagged(r"(<Plug>\S+)") == plugs


def test_each_function_is_documented_and_each_documented_one_exists() -> None:
    functions = set(code()["functions"])
    assert tagged(r"acp\.(\w+)\(\)") == functions
    assert tagged(r"acp-lua-(\w+)") == functions


def test_each_event_is_documented_and_each_documented_one_is_fired() -> None:
    fired = set()
    for text in sources(
        "python/acp_nvim/view/announcement.py",
        "python/acp_nvim/commands/*.py",
        "python/acp_nvim/follow/*.py",
        "python/acp_nvim/reactions/*.py",
    ):
        fired |= set(re.findall(r'"(Acp[A-Z]\w+)"', text))
    assert fired == EVENTS
    assert tagged(r"(Acp[A-Z]\w+)") == EVENTS


def test_each_highlight_group_is_documented_with_its_link() -> None:
    rows = re.findall(r"^(Acp\w+) +(\S+)", chapter("acp-highlights"), re.MULTILINE)
    assert dict(rows) == code()["links"]


def test_each_group_that_is_used_is_defined() -> None:
    view = "".join(sources("python/acp_nvim/view/**/*.py"))
    used = set(re.findall(r'"(Acp[A-Z]\w*)"', view))
    used |= {f"AcpHeading{level}" for level in range(1, 7)}
    winbar = "".join(sources("python/acp_nvim/view/status.py"))
    used |= {f"AcpWinbar{part}" for part in re.findall(r'BarPart\("(\w*)", ', winbar)}
    used |= set(re.findall(r"\bAcp[A-Z]\w*", "".join(sources("lua/acp/**/*.lua"))))
    assert {"AcpThought", "AcpWinbarAgent", "AcpMention", "AcpToolDone"} <= used
    assert used - EVENTS - {"AcpStart", "AcpPrompt"} <= set(code()["links"])


def test_each_key_of_the_plugins_buffers_is_documented() -> None:
    mapped = set()
    for text in sources("lua/acp/**/*.lua"):
        mapped |= set(re.findall(r"\bmap\((?:[\w.]+, '[nixo]', )?'([^' ]+)', '[A-Z]", text))
        rows = re.findall(r"^ +\{ '([^']+)', '[A-Z][^']* [^']*', ", text, re.MULTILINE)
        mapped |= {key for row in rows for key in row.split()}
    assert {"K", "D", "<C-x>", "q", "]]", "gf", "gF"} <= mapped
    documented = set(chapter("acp-keys").split())
    assert not mapped - documented


def block_of_inspect(name: str) -> set[str]:
    """Return the keys that the manual lists in one part of the snapshot."""
    block = chapter("acp-inspect").partition("left out. >\n")[2].partition("\n<")[0]
    part = re.search(rf"^    {name} += \[ {{(.*?)^    }} \]", block, re.MULTILINE | re.DOTALL)
    assert part, name
    return set(re.findall(r"\w+", part[1]))


def keys(value: Any) -> Iterator[str]:
    """Yield all keys of plain data."""
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def test_the_edits_of_the_snapshot_are_documented_as_they_are() -> None:
    change = ReviewHunk(0, ("a\n",), (), authors=(Author("agent", "session", 1, 0.0),))
    assert block_of_inspect("edits") == set(keys(edits_snapshot("/file", (change,))))


def test_the_keys_of_a_session_in_the_snapshot_are_documented() -> None:
    assert set(keys(snapshot(SessionState("agent", "/")))) <= block_of_inspect("sessions")


def test_the_commands_that_messages_name_exist() -> None:
    said = "".join(sources("python/acp_nvim/**/*.py", "lua/acp/**/*.lua"))
    named = set(re.findall(r":Acp ([a-z]+)", said))
    assert {"review", "keep", "redo"} <= named <= set(code()["commands"])


# --- the messages between Lua and Python


def table(heading: str) -> list[tuple[str, str]]:
    """Return the first two columns of the tables below a heading of messages.md."""
    part = MESSAGES.partition(heading)[2]
    part = re.split(r"^##", part, maxsplit=1, flags=re.MULTILINE)[0]
    rows = [re.split(r" *(?<!\\)\| *", line) for line in part.splitlines() if line[:3] == "| `"]
    return [(row[1], row[2]) for row in rows]


def test_each_verb_is_documented_and_each_documented_one_is_carried_out() -> None:
    rows = [name.strip("`") for name, _ in table("## Lua → host")]
    assert len(rows) == len(set(rows))
    app = "".join(sources("python/acp_nvim/app.py"))
    assert set(rows) == {*VERBS, *re.findall(r'verb == "(\w+)"', app)}


def payload_fields(text: str) -> dict[str, bool]:
    """Return the fields of a payload in the table, and whether each may be left out.

    "`{a, b?}` or `{a, c}`": what is not in every form may be left out.
    """
    flat = re.sub(r" *= *(\{[^{}]*\}|'\w*')", "", text)
    forms = [
        {name.rstrip("?"): name.endswith("?") for name in re.findall(r"\w+\??", form)}
        for form in re.findall(r"\{([^{}]*)\}", flat)
    ]
    names = {name for form in forms for name in form}
    return {name: any(form.get(name, True) for form in forms) for name in names}


def fields_of(verb: str) -> dict[str, bool]:
    """Return the same of what the handler of a verb takes."""
    found = taken(handler_of(verb))
    return {
        name: not required or NoneType in get_args(kind) for name, (kind, required) in found.items()
    }


def test_the_table_has_the_fields_of_each_payload() -> None:
    documented = {name.strip("`"): payload for name, payload in table("## Lua → host")}
    for name in VERBS:
        assert payload_fields(documented[name]) == fields_of(name), name


def test_each_verb_that_lua_tells_is_a_documented_one() -> None:
    told = set()
    for text in sources("lua/acp/**/*.lua"):
        told |= set(re.findall(r"\b(?:notify|call|ask|tell)\('(\w+)'", text))
    rows = json.loads((ROOT / "python/acp_nvim/commands.json").read_text(encoding="utf-8"))
    told |= {row["name"] for row in rows if "tell" in row}
    assert {"review", "decide", "prompt", "drop_note", "cancel", "steer"} <= told
    assert told <= {name.strip("`") for name, _ in table("## Lua → host")}


def test_each_call_of_the_host_is_documented_and_each_documented_one_is_there() -> None:
    python = "".join(sources("python/acp_nvim/nvim/*.py", "python/acp_nvim/app.py"))
    called = set(re.findall(r'"(acp\.\w+\.\w+\.\w+)"', python))
    rows = [name for cell, _ in table("## Host → Lua") for name in re.findall(r"acp[.\w]+", cell)]
    assert len(rows) == len(set(rows))
    assert {*rows, "acp.ui.apply.frame"} == called
    missing = lua(
        f"return vim.tbl_filter(function(name)"
        f" local module, call = name:match('(.*)[.](.*)')"
        f" return type(require(module)[call]) ~= 'function' end,"
        f" vim.json.decode({json.dumps(sorted(called))!r}))"
    )
    assert not missing


# --- options


def leaves(section: type[BaseModel], above: str = "") -> Iterator[str]:
    """Return the dotted names of all keys that hold no further keys of ours, and of lists."""
    for name, field in section.model_fields.items():
        inner = sections(field.annotation)
        if not inner or field.annotation not in inner:
            yield f"{above}{field.alias or name}"
        for each in inner:
            yield from leaves(each, f"{above}{name}.")


def sections(annotation: Any) -> list[type[BaseModel]]:
    """Return the sections in the type of a key."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [] if annotation is NamedValue else [annotation]
    return [found for part in get_args(annotation) for found in sections(part)]


def test_each_option_is_documented_and_each_documented_one_exists() -> None:
    assert tagged(r"acp-config-(\S+)") == set(leaves(Options))


def test_the_documented_defaults_are_the_defaults() -> None:
    block = code_blocks(chapter("acp-config"))[0]
    options, problems = parse(lua(f"{block} return vim.g.acp"))
    assert not problems
    assert options == Options()


@pytest.mark.parametrize("tag", ["acp-config", "acp-agents", "acp-guide-options"])
def test_the_examples_of_a_configuration_are_valid(tag: str) -> None:
    for block in code_blocks(chapter(tag)):
        whole = block if "vim.g.acp" in block else f"vim.g.acp = {{ mcp_servers = {{ {block} }} }}"
        assert parse(lua(f"{whole} return vim.g.acp"))[1] == ()


def test_each_preset_is_documented_as_it_is() -> None:
    text = chapter("acp-agents")
    for preset in PRESETS.values():
        command = " ".join((preset.command, *preset.args))
        row = f"    {preset.name:<16}{command}\n        {preset.install}\n"
        assert row + "        https://" in text
    documented = re.findall(r"^    (\S+) +\S.*\n        \S.*\n        http", text, re.MULTILINE)
    assert documented == list(PRESETS)


def test_the_variables_that_an_agent_does_not_get_are_documented() -> None:
    text = chapter("acp-agents").partition("*acp-agents-env*")[2].partition("*acp-")[0]
    assert re.findall(r"`\$(\w+)`", text) == list(PRIVATE)


# --- form


def test_helptags_are_unique_and_links_lead_somewhere(tmp_path: Path) -> None:
    folder = tmp_path / "doc"
    folder.mkdir()
    (folder / "acp.txt").write_text(GUIDE, encoding="utf-8")
    (folder / "acp-reference.txt").write_text(REFERENCE, encoding="utf-8")
    builtin = lua(
        f"vim.cmd.helptags({str(folder)!r})"
        " return vim.fn.readfile(vim.env.VIMRUNTIME .. '/doc/tags')"
    )
    ours = (folder / "tags").read_text(encoding="utf-8").splitlines()
    known = {line.split("\t")[0] for line in (*ours, *builtin)}
    assert set(TAGS) <= known
    assert len(TAGS) == len(set(TAGS))
    assert set(re.findall(r"(?<![\S`])\|([^|\s`]+)\|", MANUAL)) <= known


def test_help_that_messages_and_pages_name_exists() -> None:
    texts = sources("python/**/*.py", "lua/**/*.lua", "plugin/*.lua", "README.md", "doc/*.md")
    named = {name for text in texts for name in re.findall(r":(?:help|h) (acp[\w.-]*\w)", text)}
    assert named <= set(TAGS)


def test_the_manual_fits_78_columns() -> None:
    whole = {f"        {preset.install}" for preset in PRESETS.values()}
    for lines in (GUIDE.splitlines(), REFERENCE.splitlines()):
        assert not [line for line in lines if len(line.expandtabs(8)) > 78 and line not in whole]
        assert lines[-1].strip().startswith("vim:")


def test_the_guide_is_short_and_names_every_command() -> None:
    assert 600 <= len(GUIDE.splitlines()) <= 800
    assert set(re.findall(r"\|:Acp-(\w+)\|", chapter("acp-glance"))) == set(code()["commands"])


def test_the_two_longest_chapters_can_be_read_in_one_go() -> None:
    assert len((chapter("acp-files") + chapter("acp-review")).splitlines()) <= 350


def test_the_contents_name_each_chapter() -> None:
    for page in (GUIDE, REFERENCE):
        contents, *chapters = re.split(r"^={78}$", page, flags=re.MULTILINE)
        titles = [text.split("\n")[1].split("*")[0].strip() for text in chapters]
        listed = re.findall(r"^ +(\d+\. .*?) \.\.", contents, re.MULTILINE)
        assert listed == titles


# --- the other pages


def test_the_commands_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    contributing = (ROOT / "doc" / "contributing.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^make (\w+)", README + contributing, re.MULTILINE))
    assert {"demo", "test"} <= named <= targets
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    commands = set(re.findall(r":Acp ([a-z]+)", README + contributing + changes + MANUAL))
    assert commands <= set(code()["commands"])


def test_the_links_of_the_pages_lead_somewhere() -> None:
    for page in (*ROOT.glob("*.md"), *(ROOT / "doc").glob("*.md")):
        links = re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8"))
        assert not [link for link in links if not (page.parent / link).exists()], page


def test_the_installation_is_the_same_in_both_places() -> None:
    """A reader of one must not be led astray when the other changes."""
    shown = re.findall(r"```lua\n(.*?)```", README, re.DOTALL)[:2]
    shown += [
        block for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) if "git" in block
    ]
    assert len(shown) == 3
    blocks = [*code_blocks(MANUAL), *code_blocks(MANUAL, "sh")]
    manual = [re.sub(r"^    ", "", block, flags=re.M) for block in blocks]
    assert all(block.strip() in [each.strip() for each in manual] for block in shown)


def test_ci_runs_what_the_readme_says() -> None:
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
