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

PATCH = r'"content": "<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE"'
EDITS = {"vibe": f'tool:search_replace:{{{{"file_path": "{{path}}", {PATCH}}}}}'}


def main() -> int:
    """Run the script with each agent; return 1 if a step failed."""
    arguments = _arguments()
    columns = {name: _run(name, arguments) for name in arguments.names}
    print(table(columns))
    return int(any("FAILED" in cell for column in columns.values() for cell in column.values()))


def table(columns: dict[str, dict[str, str]]) -> str:
    """Return a Markdown table: a row for each step, a column for each agent."""
    rows = [["step", *columns]]
    rows += [[step, *(it.get(step, "") for it in columns.values())] for step in Script.steps()]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.agents.run")
    parser.add_argument("names", nargs="*", default=NAMES, help="agents; default: all known")
    parser.add_argument("--launcher", help="program that makes an agent ready and prints a command")
    parser.add_argument("--step", action="append", help="only this step, after start")
    parser.add_argument("--record", type=Path, help="folder for the wire log of each agent")
    return parser.parse_args()


def _run(name: str, arguments: argparse.Namespace) -> dict[str, str]:
    try:
        agent = _agent(name, arguments.launcher)
    except FileNotFoundError as error:
        return {"start": f"– {error}"}
    script = Script(agent, log_level="debug" if arguments.record else "info")
    cells: dict[str, str] = {}
    try:
        for step in Script.steps():
            if arguments.step and step not in ("start", *arguments.step):
                continue
            cells[step] = script.run(step)
            print(f"{name}: {step}: {cells[step]}", file=sys.stderr, flush=True)
            if cells["start"].startswith("FAILED"):
                break
        if arguments.record:
            _keep_log(script, arguments.record)
    finally:
        script.close()
        if arguments.launcher:
            subprocess.run([arguments.launcher, "--down", name], check=False)
    return cells


def _agent(name: str, launcher: str | None) -> Agent:
    """Return how to start the agent: as the launcher says, else its own command on PATH."""
    if launcher is None:
        preset = PRESETS.get(name)
        if preset is None or shutil.which(preset.command) is None:
            raise FileNotFoundError("not installed")
        return Agent(name, preset.command, preset.args, preset.env)
    made = subprocess.run([launcher, name], stdout=subprocess.PIPE, text=True, check=True)
    command, *args = shlex.split(made.stdout)
    agent = Agent(name, command, tuple(args), scripted=name not in EXAMPLES)
    return replace(agent, edit=EDITS.get(name, agent.edit))


def _keep_log(script: Script, folder: Path) -> None:
    """Copy the log; after a restart there are two."""
    folder.mkdir(parents=True, exist_ok=True)
    script.job.command("Acp log")  # which writes what is held back
    state = script.until(lambda: script.job.nvim.lua(LOG_FOLDER))
    for log in Path(state).glob(f"{script.agent.name}.jsonl*"):
        shutil.copy(log, folder)


if __name__ == "__main__":
    sys.exit(main())
