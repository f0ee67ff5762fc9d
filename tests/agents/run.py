"""`python -m tests.agents.run NAME…`: the script with real agents, as a table (see README.md)."""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from acp_nvim.agents import PRESETS
from tests.agents.script import Agent, Script

EXAMPLES = ("tsexample", "pyexample", "pyecho")
"""Agents of the SDKs: they have no model, and are known to a launcher only."""
LOG_FOLDER = "return vim.fn.expand('%:e') == 'jsonl' and vim.fn.expand('%:p:h') or nil"
NAMES = ("gemini", "qwen", "vibe", *EXAMPLES)

RUNS = {"crow2": 'tool:execute:{{"code": "!{quoted}"}}'}
PATCH = r'"content": "<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE"'
PROTOCOLS = {"crow2": 2}
"""Agents that speak no other version."""
TOOLS = {"crow": "mcp", "crow2": "mcp2"}
"""Words that make the MCP server that an agent has its tools from of its own program."""
CELL = 'tool:execute:{{"code": "!sed -i s/two/TWO/ {path}"}}'
EDITS = {"crow2": CELL, "vibe": f'tool:search_replace:{{{{"file_path": "{{path}}", {PATCH}}}}}'}

EDITORS = {
    "claude": "mcp__editor__{tool}",
    "gemini": "mcp_editor_{tool}",
    "qwen": "mcp__editor__{tool}",
    "kimicode": "mcp__editor__{tool}",
    "crow2": "{tool}",
}
"""How they name a tool of the editor's MCP server."""

TODOS = '[{"title": "first", "status": "in_progress"}, {"title": "second", "status": "pending"}]'
PLANS = {"kimicode": f'tool:TodoList:{{"todos": {TODOS}}}'}


def main() -> int:
    """Run the script with each agent; return 1 if a step failed."""
    arguments = parser("tests.agents.run", NAMES).parse_args()
    columns = {name: _run(name, arguments) for name in arguments.names}
    return told(columns, Script.steps())


def told(columns: dict[str, dict[str, str]], steps: list[str]) -> int:
    """Print a Markdown table, a row for each step and a column for each agent; 1 for a failure."""
    rows = [["step", *columns]]
    rows += [[step, *(it.get(step, "") for it in columns.values())] for step in steps]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    print("\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]]))
    return int(any("FAILED" in cell for column in columns.values() for cell in column.values()))


def parser(program: str, names: tuple[str, ...]) -> argparse.ArgumentParser:
    """Return what reads the command line."""
    made = argparse.ArgumentParser(prog=f"python -m {program}")
    made.add_argument("names", nargs="*", default=names, help="agents; default: all known")
    made.add_argument("--launcher", help="program that makes an agent ready and prints a command")
    made.add_argument("--step", action="append", help="only this step, after start")
    made.add_argument("--record", type=Path, help="folder for the wire log of each agent")
    return made


def _run(name: str, arguments: argparse.Namespace) -> dict[str, str]:
    try:
        agent = _agent(name, arguments.launcher)
    except FileNotFoundError as error:
        return {"start": f"– {error}"}
    script = Script(agent, log_level="debug" if arguments.record else "info")
    try:
        return play(script, arguments)
    finally:
        if arguments.launcher:
            subprocess.run([arguments.launcher, "--down", name], check=False)


def play(script: Script, arguments: argparse.Namespace) -> dict[str, str]:
    """Run the steps, print what becomes of each, and return it; ends the script."""
    cells: dict[str, str] = {}
    try:
        for step in script.steps():
            if arguments.step and step not in ("start", *arguments.step):
                continue
            cells[step] = script.run(step)
            print(f"{script.agent.name}: {step}: {cells[step]}", file=sys.stderr, flush=True)
            if cells["start"].startswith("FAILED"):
                break
        if arguments.record:
            _keep_log(script, arguments.record)
    finally:
        script.close()
    return cells


def _agent(name: str, launcher: str | None) -> Agent:
    """Return how to start the agent: as the launcher says, else its own command on PATH."""
    if launcher is None:
        preset = PRESETS.get(name)
        if preset is None or shutil.which(preset.command) is None:
            raise FileNotFoundError("not installed")
        return Agent(name, preset.command, preset.args, preset.env)
    command, *args = launched(launcher, name)
    agent = Agent(name, command, tuple(args), scripted=name not in EXAMPLES)
    edit, protocol = EDITS.get(name, agent.edit), PROTOCOLS.get(name, 1)
    run, plan = RUNS.get(name, agent.run), PLANS.get(name, agent.plan)
    words = {"edit": edit, "run": run, "plan": plan, "editor": EDITORS.get(name, "")}
    return replace(agent, **words, protocol=protocol, tools=tools(name, args))


def tools(name: str, command: list[str]) -> tuple[tuple[str, ...], ...]:
    """Return the MCP servers that an agent with that command wants of its user."""
    if name not in TOOLS:
        return ()
    program = next(word for word in command if word.endswith("/crow-cli"))
    return ((f"{name}-tools", program, TOOLS[name]),)


def launched(launcher: str, name: str, *options: str) -> list[str]:
    """Make an agent ready; return the words of the command that starts it."""
    made = subprocess.run([launcher, name, *options], stdout=subprocess.PIPE, text=True, check=True)
    return shlex.split(made.stdout)


def _keep_log(script: Script, folder: Path) -> None:
    """Copy the log; after a restart there are two."""
    folder.mkdir(parents=True, exist_ok=True)
    script.job.command("Acp log")  # which writes what is held back
    state = script.until(lambda: script.job.nvim.lua(LOG_FOLDER))
    for log in Path(state).glob(f"{script.agent.name}.jsonl*"):
        shutil.copy(log, folder)


if __name__ == "__main__":
    sys.exit(main())
