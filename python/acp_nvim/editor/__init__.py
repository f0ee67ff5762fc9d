"""What the program wants of the editor, as small Protocols; `nvim/` implements them.

Tests fake these, never `vim`.
"""

from acp_nvim.editor.files import BufferOptions as BufferOptions
from acp_nvim.editor.files import Busy as Busy
from acp_nvim.editor.files import Files as Files
from acp_nvim.editor.files import LiveBuffer as LiveBuffer
from acp_nvim.editor.files import OpenFile as OpenFile
from acp_nvim.editor.ports import Bridge as Bridge
from acp_nvim.editor.ports import ChatWindows as ChatWindows
from acp_nvim.editor.ports import Choice as Choice
from acp_nvim.editor.ports import Chooser as Chooser
from acp_nvim.editor.ports import Comparer as Comparer
from acp_nvim.editor.ports import Drawn as Drawn
from acp_nvim.editor.ports import Editor as Editor
from acp_nvim.editor.ports import Finding as Finding
from acp_nvim.editor.ports import Follower as Follower
from acp_nvim.editor.ports import HeldRows as HeldRows
from acp_nvim.editor.ports import LoginProgram as LoginProgram
from acp_nvim.editor.ports import LoginTerminals as LoginTerminals
from acp_nvim.editor.ports import NamedText as NamedText
from acp_nvim.editor.ports import Notifier as Notifier
from acp_nvim.editor.ports import Picture as Picture
from acp_nvim.editor.ports import QuestionWindow as QuestionWindow
from acp_nvim.editor.ports import Reviewer as Reviewer
from acp_nvim.editor.ports import Screen as Screen
from acp_nvim.editor.ports import Surroundings as Surroundings
from acp_nvim.editor.ports import TerminalScreens as TerminalScreens
from acp_nvim.editor.ports import ToolAnswers as ToolAnswers
