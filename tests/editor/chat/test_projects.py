"""Which session a command without an agent acts on: that of the project that the user is in."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim


@pytest.fixture
def two(nvim: Neovim, spy: BridgeSpy) -> dict[str, int]:
    """Return the chats of two projects; the one of "b" was used last, the cursor is in no file."""
    found: dict[str, int] = {}
    for name in ("a", "b"):
        project(nvim, name)
        nvim.command(f"edit {nvim.cwd}/{name}/code.py")
        nvim.command("Acp new gemini")
        found[name] = spy.told("start")[-1]["chat"]
        nvim.command("wincmd t")
    nvim.command("enew")
    return found


def project(nvim: Neovim, name: str) -> Path:
    """Make a project below the working directory."""
    folder = Path(nvim.cwd, name)
    (folder / ".git").mkdir(parents=True)
    (folder / "code.py").touch()
    return folder


def acts_on(nvim: Neovim, spy: BridgeSpy) -> int:
    """Return the chat that `:Acp cancel` acts on."""
    nvim.command("Acp cancel")
    return int(spy.told("cancel")[-1]["chat"])


def test_it_is_that_of_the_files_project(nvim: Neovim, spy: BridgeSpy, two: dict[str, int]) -> None:
    for name in ("a", "b", "a"):
        nvim.command(f"edit {nvim.cwd}/{name}/code.py")
        assert acts_on(nvim, spy) == two[name]
        nvim.command("AcpPrompt hello")
        assert spy.told("prompt")[-1]["chat"] == two[name]
    assert len(spy.told("start")) == 2


def test_a_window_without_a_file_takes_the_last_of_all(
    nvim: Neovim, spy: BridgeSpy, two: dict[str, int]
) -> None:
    assert acts_on(nvim, spy) == two["b"]
    nvim.command(f"edit {nvim.cwd}/a/code.py")
    nvim.command("AcpPrompt hello")
    assert spy.told("prompt")[-1]["chat"] == two["a"]
    nvim.command("copen")
    assert acts_on(nvim, spy) == two["a"]


def test_a_chat_stands_for_itself(nvim: Neovim, spy: BridgeSpy, two: dict[str, int]) -> None:
    nvim.command(f"edit {nvim.cwd}/b/code.py")
    nvim.command(f"sbuffer {two['a']}")
    assert acts_on(nvim, spy) == two["a"]


def test_a_file_of_no_session_takes_that_of_the_working_directory(
    nvim: Neovim, spy: BridgeSpy, two: dict[str, int], tmp_path: Path
) -> None:
    nvim.command(f"cd {nvim.cwd}/a")
    nvim.command(f"edit {tmp_path}/loose.py")
    assert acts_on(nvim, spy) == two["a"]
    nvim.command("AcpPrompt hello")
    assert spy.told("prompt")[-1]["chat"] == two["a"]


def test_a_link_into_a_project_is_of_it(
    nvim: Neovim, spy: BridgeSpy, two: dict[str, int], tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(Path(nvim.cwd, "a"))
    nvim.command(f"edit {tmp_path}/link/code.py")
    assert acts_on(nvim, spy) == two["a"]


def test_a_prompt_in_another_project_opens_a_session_there(
    nvim: Neovim, spy: BridgeSpy, two: dict[str, int]
) -> None:
    other = project(nvim, "c")
    nvim.lua("require('acp').setup({ default_agent = 'goose' })")
    nvim.command(f"cd {nvim.cwd}/a | edit {other}/code.py")
    nvim.input(":AcpPrompt hello<CR>")
    nvim.wait(lambda: len(spy.told("start")) == 3)
    started = spy.told("start")[-1]
    assert (started["agent"], started["file"]) == ("goose", f"{other}/code.py")
    nvim.wait(lambda: [it["chat"] for it in spy.told("prompt")] == [started["chat"]])
    assert f"no session was open in {other}: this is a new one with goose" in nvim.messages()


def test_without_a_default_it_is_the_agent_that_was_used_there(
    nvim: Neovim, spy: BridgeSpy, two: dict[str, int]
) -> None:
    other = project(nvim, "c")
    nvim.command(f"edit {other}/code.py")
    nvim.command("AcpPrompt hello")
    assert spy.told("last_agent") == [{"file": f"{other}/code.py", "cwd": str(nvim.cwd)}]
    spy.answer("gemini")
    assert spy.told("start")[-1]["agent"] == "gemini"
    assert spy.told("prompt")[-1]["chat"] == spy.told("start")[-1]["chat"]


def test_where_none_was_used_it_says_what_to_do(
    nvim: Neovim, spy: BridgeSpy, two: dict[str, int]
) -> None:
    nvim.command(f"edit {project(nvim, 'c')}/code.py")
    nvim.command("AcpPrompt hello")
    spy.answer(None)
    assert spy.told("prompt") == []
    assert "no session is open in" in nvim.messages()


def test_the_inner_one_of_two_projects(nvim: Neovim, spy: BridgeSpy, two: dict[str, int]) -> None:
    inner = project(nvim, "a/inner")
    nvim.command(f"edit {inner}/code.py")
    assert acts_on(nvim, spy) == two["a"]
    nvim.command("Acp new gemini")
    own = spy.told("start")[-1]["chat"]
    nvim.command(f"wincmd t | edit {nvim.cwd}/a/code.py")
    nvim.command("AcpPrompt hello")
    assert spy.told("prompt")[-1]["chat"] == two["a"]
    nvim.command(f"edit {inner}/code.py")
    assert acts_on(nvim, spy) == own


@pytest.mark.parametrize("job", [{"default_agent": None}], indirect=True)
def test_the_host_knows_who_was_used_in_a_project(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    job.finish(agent, prompt)
    job.command("Acp stop")
    job.until(lambda: job.session()["state"] == "closed")
    job.edit("code.py", "pass\n")
    job.command("AcpPrompt hello")
    again = job.stage.accept()
    again.initialize()
    again.open()
    assert again.prompted()["params"]["prompt"][0]["text"] == "hello"
    job.told("this is a new one with scripted")


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    allowed = ("-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, *allowed, *arguments], cwd=folder, check=True, timeout=30)


@pytest.mark.parametrize("way", ["worktree", "relative", "submodule", "worktree of a bare one"])
def test_the_message_of_a_commit_belongs_to_its_work_tree(
    nvim: Neovim, spy: BridgeSpy, way: str
) -> None:
    main, tree = Path(nvim.cwd, "main"), Path(nvim.cwd, "tree")
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "x")
    folder = main / ".git/worktrees/tree"
    if way == "submodule":
        git(main, "clone", "-q", ".", "../other")
        git(main, "submodule", "add", "-q", "../other", "tree")
        tree, folder = main / "tree", main / ".git/modules/tree"
    elif way == "worktree of a bare one":
        git(main, "clone", "-q", "--bare", ".", "../bare.git")
        folder = Path(nvim.cwd, "bare.git/worktrees/tree")
        git(folder.parent.parent, "worktree", "add", "-q", str(tree))
    else:
        git(main, "worktree", "add", "-q", str(tree))
    if way == "relative":
        (folder / "gitdir").write_text("../../../../tree/.git\n")
    found = {}
    for name, place in (("main", main), ("tree", tree)):
        nvim.command(f"edit {place}/code.py")
        nvim.command("Acp new gemini")
        found[name] = spy.told("start")[-1]["chat"]
        nvim.command("wincmd t")
    nvim.command(f"edit {main}/code.py | Acp cancel")  # it was used last
    (folder / "COMMIT_EDITMSG").write_text("a message\n")
    nvim.command(f"edit {folder}/COMMIT_EDITMSG")
    assert acts_on(nvim, spy) == found["tree"]
    nvim.command("Acp new gemini")
    assert Path(spy.told("start")[-1]["file"]).parent == tree


def test_a_git_folder_that_only_names_a_tree_is_of_none(
    nvim: Neovim, spy: BridgeSpy, two: dict[str, int]
) -> None:
    folder = Path(nvim.cwd, "a/.git/worktrees/x")
    folder.mkdir(parents=True)
    (folder / "HEAD").touch()
    (folder / "gitdir").write_text(f"{nvim.cwd}/b/.git\n")
    nvim.command(f"edit {folder}/COMMIT_EDITMSG")
    assert acts_on(nvim, spy) == two["a"]


@pytest.mark.parametrize("command", ["AcpPrompt", "AcpPrompt hello", "Acp add", "1Acp edit it"])
def test_a_prompt_in_another_project_says_where_the_session_is(
    nvim: Neovim, spy: BridgeSpy, two: dict[str, int], command: str
) -> None:
    project(nvim, "c")
    nvim.command(f"cd {nvim.cwd}/a | edit {nvim.cwd}/c/code.py | messages clear")
    nvim.command(command)
    assert spy.told("last_agent")
    nvim.lua("_G.answer(nil, nil)")
    assert "this session is closed" not in nvim.messages()
    assert f"no session is open in {nvim.cwd}/c (that of gemini is in" in nvim.messages()
    assert not [it for it in spy.told("prompt") if it.get("text") == "hello"]


def test_with_a_default_agent_it_opens_one_there(
    nvim: Neovim, spy: BridgeSpy, two: dict[str, int]
) -> None:
    project(nvim, "c")
    nvim.command(f"cd {nvim.cwd}/a | edit {nvim.cwd}/c/code.py")
    nvim.lua("local it = vim.g.acp it.default_agent = 'gemini' vim.g.acp = it")
    nvim.command("AcpPrompt hello")
    assert len(spy.told("start")) == 3
    assert spy.told("start")[-1]["file"] == f"{nvim.cwd}/c/code.py"
    assert spy.told("prompt")[-1]["text"] == "hello"
