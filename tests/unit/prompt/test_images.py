"""Which images a text names that was pasted or dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.prompt.images import named


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "my shot.png"
    path.touch()
    return path


@pytest.mark.parametrize(
    "form",
    ["{plain}", "{plain}\n", "'{plain}'", '"{plain}"', "{escaped}", "{uri}", "{escaped} {other} "],
)
def test_names_of_images_however_they_are_dropped(image: Path, form: str) -> None:
    other = image.with_name("b.JPG")
    other.touch()
    escaped = str(image).replace(" ", "\\ ")
    text = form.format(plain=image, escaped=escaped, uri=image.as_uri(), other=other)
    assert named(text) == [str(image), *([str(other)] if "other" in form else [])]


@pytest.mark.parametrize(
    "form", ["", "see {image}", "{text}", "{image}x", "shot.png", "/dev/null", "{folder}", "'"]
)
def test_other_texts_name_none(image: Path, form: str) -> None:
    text, folder = image.with_name("a.txt"), image.with_name("a.png")
    text.touch()
    folder.mkdir()
    assert named(form.format(image=image, text=text, folder=folder)) == []


def test_more_than_ten_are_a_text(image: Path) -> None:
    assert len(named(f"'{image}'\n" * 10)) == 10
    assert named(f"'{image}'\n" * 11) == []
