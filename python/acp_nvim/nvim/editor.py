"""Neovim as the program's editor."""

from __future__ import annotations

from acp_nvim.editor import Editor
from acp_nvim.nvim.call import Call, NvimBridge
from acp_nvim.nvim.files import NvimFiles
from acp_nvim.nvim.notifier import Faults, Notices
from acp_nvim.nvim.painter import Painter
from acp_nvim.nvim.questions import NvimQuestionWindow
from acp_nvim.nvim.reviewer import NvimReviewer
from acp_nvim.nvim.terminals import NvimLoginTerminals, TerminalBuffers
from acp_nvim.nvim.tools import NvimToolAnswers
from acp_nvim.nvim.windows import NvimChats, NvimComparer, NvimFollower, NvimSurroundings, Pickers


def neovim(call: Call) -> Editor:
    """Return the ports over that way to Neovim."""
    tell = Faults(call)
    painter = Painter(call, tell)
    questions = NvimQuestionWindow(call, tell)
    terminals = TerminalBuffers(call, tell)
    tools = NvimToolAnswers(call)
    return Editor(
        files=NvimFiles(call.lua),
        surroundings=NvimSurroundings(call.lua, tools),
        chats=NvimChats(call),
        screen=painter,
        questions=questions,
        comparer=NvimComparer(call),
        chooser=Pickers(call),
        logins=NvimLoginTerminals(call),
        terminals=terminals,
        follower=NvimFollower(call),
        reviewer=NvimReviewer(call.lua),
        notifier=Notices(call, painter, tell),
        tools=tools,
        bridge=NvimBridge(call),
        runners=(painter.run, questions.run, terminals.run),
    )
