"""Names of variables that an agent may not set for a program that the user starts. Pure."""

from __future__ import annotations

import re

from acp_nvim.patterns import lazy_pattern

_NAME = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_CHOOSES = lazy_pattern(
    r"""PATH|.*PATH|IFS|ENV|BASH.*|SHELL.*|PS4|PROMPT_COMMAND|ZDOTDIR|HOME|TMPDIR|XDG_.*
    |LD_.*|DYLD_.*|GCONV_.*|MALLOC_.*|GLIBC_.*|NODE_.*|NPM_.*|PYTHON.*|PIP_.*|UV_.*|VIRTUAL_ENV
    |PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|LUA_.*|PHP.*|R_.*|JAVA_.*|_JAVA_.*|JDK_.*|MAVEN_.*|GRADLE_.*
    |DOTNET_.*|COR_.*|CORECLR_.*|GO[A-Z0-9]*|DENO_.*|BUN_.*|ELECTRON_.*|TCL.*|ERL_.*|RUSTC?_.*|CARGO_.*|GIT_.*|SSH_.*|OPENSSL_.*|SSL_.*|CURL_.*
    |.*_PROXY|EDITOR|VISUAL|.*PAGER|BROWSER|LESS.*|N?VIM.*|MYVIMRC
    |HOSTALIASES|RES_OPTIONS|RESOLV_.*|LOCALDOMAIN|KRB5.*|GNUPGHOME|KUBECONFIG|DOCKER_.*
    |.*ASKPASS|.*(?:FLAGS|OPTS|_OPTIONS)|.*_CA_(?:BUNDLE|CERTS?|FILE|PATH)|CC|CXX|MAKE.*|NIX_.*
    |GTK.*|GIO_.*|GDK_.*|QT_.*|DISPLAY|WAYLAND_.*|DBUS_.*|TERMINFO.*|TERMCAP|INPUTRC|GLOBIGNORE
    |HIST.*|YARN_.*|PNPM_.*|TS_NODE_.*|OCAML.*|GUILE_.*|JULIA_.*|.*_ENDPOINT_URL.*|NETRC""",
    re.IGNORECASE | re.VERBOSE,
)


def is_dangerous(name: str) -> bool:
    """Tell whether the variable chooses what a program runs or where it looks, or is no name."""
    return _NAME.fullmatch(name) is None or _CHOOSES.fullmatch(name) is not None
