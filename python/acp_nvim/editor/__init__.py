"""What the program wants of the editor, as small Protocols; `nvim/` implements them.

Tests fake these, never `vim`.
"""

from acp_nvim.editor.bridge import Bridge as Bridge
from acp_nvim.editor.chats import ChatWindows as ChatWindows
from acp_nvim.editor.chooser import Choice as Choice
from acp_nvim.editor.chooser import Chooser as Chooser
from acp_nvim.editor.comparer import Comparer as Comparer
from acp_nvim.editor.editor import Editor as Editor
from acp_nvim.editor.files import BufferOptions as BufferOptions
from acp_nvim.editor.files import Busy as Busy
from acp_nvim.editor.files import Files as Files
from acp_nvim.editor.files import LiveBuffer as LiveBuffer
from acp_nvim.editor.files import OpenFile as OpenFile
from acp_nvim.editor.follower import Follower as Follower
from acp_nvim.editor.logins import LoginProgram as LoginProgram
from acp_nvim.editor.logins import LoginTerminals as LoginTerminals
from acp_nvim.editor.notifier import Notifier as Notifier
from acp_nvim.editor.questions import QuestionWindow as QuestionWindow
from acp_nvim.editor.reviewer import Drawn as Drawn
from acp_nvim.editor.reviewer import HeldRows as HeldRows
from acp_nvim.editor.reviewer import Reviewer as Reviewer
from acp_nvim.editor.screen import Picture as Picture
from acp_nvim.editor.screen import Screen as Screen
from acp_nvim.editor.surroundings import Finding as Finding
from acp_nvim.editor.surroundings import NamedText as NamedText
from acp_nvim.editor.surroundings import Surroundings as Surroundings
from acp_nvim.editor.terminals import TerminalScreens as TerminalScreens
from acp_nvim.editor.tools import ToolAnswers as ToolAnswers
