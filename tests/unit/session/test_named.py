"""A link whose text reads as another address than the one where it goes."""

from __future__ import annotations

import pytest

from acp_nvim.session.elicitation.address import doubts


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://good.com/login", "https://evil.com/login"),
        ("https://good.com", "http://evil.com"),
        ("good.com", "https://evil.com"),
        ("see Good.COM.", "https://good.com.evil.org"),
        ("www.good.de/a", "https://good.dev/a"),
        ("**https://good.com**", "https://evil.com"),
        ("https://go**od**.com", "https://evil.com"),
        ("`https://good.com`", "https://evil.com"),
        ("https://github.com/good/tool", "https://github.com/evil/tool"),
        ("https://good.com/a", "https://good.com/b"),
        ("https://github.com/good", "https://github.com/good-evil"),
        ("https://good.com:8443", "https://good.com"),
        ("https://git.com/good/tool", "https://git.com/good/tool/../../evil/tool"),
        ("https://git.com/good/tool", "https://git.com/good/tool/%2E%2e/.%2e/evil/tool"),
        ("https://good.com…", "https://good.computer"),
        ("https://good.com/…", "https://evil.com/x"),
        ("https://a.com and https://b.com", "https://a.com"),
        ("h\u200bttps://good.com", "https://evil.com"),
        ("ｈttps://good.com", "https://evil.com"),
        ("![https://good.com](x.png)", "https://evil.com"),
        ("good\u3002com", "https://evil.com"),
        ("good\uff61com", "https://evil.com"),
        ("//good.com", "https://evil.com"),
        ("hxxps://good.com", "https://evil.com"),
        ("hXXp://good.com/a", "http://good.com/b"),
        ("good[.]com", "https://evil.com"),
        ("good(dot)com", "https://evil.com"),
        ("hxxps[:]//www[.]good[.]com", "https://evil.com"),
        ("https\u2236//good.com", "https://evil.com"),
        ("https:\u2215\u2215good.com", "https://evil.com"),
        ("https\ua789\u2044\u2044good\u0701com", "https://evil.com"),
        ("10.0.0.1", "https://evil.com"),
        ("10.0.0.1", "http://10.0.0.2/admin"),
        ("good&#46;com", "https://evil.com"),
        ("good&period;co&#109;", "https://evil.com"),
        ("localhost:3000", "https://evil.com"),
        ("127.0.0.1:8000/docs", "https://evil.com"),
        ("10.0.0.1/admin", "http://10.0.0.2/admin"),
        ("", "https://good.com@evil.com"),
        ("click", "https://good.com:443@evil.com/"),
        ("", "https://xn--80ak6aa92e.com"),
        ("", "https://g\u043e\u043ed.com"),
    ],
)
def test_what_is_doubtful(text: str, url: str) -> None:
    assert doubts(text, url)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("", "https://good.com/a?b=c#d"),
        ("the docs", "https://good.com"),
        ("https://good.com", "https://good.com"),
        ("https://good.com/", "https://good.com"),
        ("http://GOOD.com", "https://www.good.com/"),
        ("good.com", "https://good.com/docs/a"),
        ("https://good.com/docs", "https://good.com/docs/a?b=c"),
        ("https://good.com/do…", "https://good.com/docs"),
        ("https://go...", "https://good.com/docs"),
        ("(see https://good.com/a).", "https://good.com/a"),
        ("https://good.com/a_(b)", "https://good.com/a_(b)"),
        ("src/main.py", "https://good.com/src/main.py"),
        ("README.md", "https://github.com/a/b/blob/main/README.md"),
        ("//good.com", "https://good.com/a"),
        ("https://good.com/a", "https://good.com/b/../a/./c"),
        ("1.2.3.4", "https://github.com/a/b/releases/1.2.3.4"),
        ("localhost", "https://docs.org"),
        ("hxxps://good[.]com", "https://good.com/"),
        ("10.0.0.1", "http://10.0.0.1/admin"),
        ("120.0.6099.1", "https://browser.org/notes"),
        ("see a[.5] and f(.)", "https://docs.org"),
        ("Node.js 20.1", "https://nodejs.org"),
        ("me@good.com", "https://contact.org"),
        ("app.dev()", "https://docs.org"),
        ("#12: fix a.b.c", "https://github.com/a/b/pull/12"),
        ("localhost:3000", "http://localhost:3000/"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/docs"),
    ],
)
def test_what_is_not(text: str, url: str) -> None:
    assert not doubts(text, url)
