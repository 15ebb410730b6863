"""How the pages look is decided in one file: static/css/tokens.css."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from roulette_site.common.models import Operator

STYLES = settings.BASE_DIR / "static" / "css"
TOKENS = STYLES / "tokens.css"
TEMPLATES = settings.BASE_DIR / "templates"
OTHERS = sorted(set(STYLES.rglob("*.css")) - {TOKENS})

DECLARATION = re.compile(r"([\w-]+)\s*:\s*([^;{}]+)(?=[;}])")
# What holds no colour of its own: comments, other tokens, and a drawing's own gradients.
WITHOUT_COLOUR = re.compile(r"/\*.*?\*/|var\(--[\w-]+\)|url\([^)]*\)", re.DOTALL)
NAMES = "white|silver|gr[ae]y|black|red|maroon|yellow|olive|lime|green|aqua|teal|blue|navy|fuchsia|purple|orange|gold"
COLOUR = re.compile(
    rf"#[0-9a-f]{{3,8}}\b|\b(rgb|hsl|hwb|(ok)?lab|(ok)?lch|color)a?\(|(?<![\w-])({NAMES})(?![\w-])", re.I
)

COLOUR_VALUE = re.compile(r"#[0-9a-f]{6}\b")


def literal_colours(style: str) -> list[str]:
    """Every declaration that says a colour itself."""
    declarations = DECLARATION.findall(WITHOUT_COLOUR.sub("", style))
    return [f"{name}: {value}" for name, value in declarations if COLOUR.search(value)]


@pytest.mark.parametrize("style", OTHERS, ids=lambda path: path.name)
def test_no_stylesheet_but_that_of_the_tokens_holds_a_colour(style: Path) -> None:
    assert literal_colours(style.read_text()) == []


def test_a_colour_is_found_however_it_is_written() -> None:
    for colour in ("#fff", "#16332680", "rgb(0 0 0 / 18%)", "RGBA(0, 0, 0, 1)", "oklch(40% 0.2 30)", "1px solid red"):
        assert literal_colours(f"a:hover {{ margin: 0; border: {colour}; }}") == [f"border: {colour}"], colour
    for other in ("var(--red)", "color-mix(in srgb, var(--red) 9%, transparent)", 'url("#wood")', "currentcolor"):
        assert literal_colours(f".fill-red {{ white-space: nowrap; fill: {other} }}") == [], other


def test_no_template_holds_a_colour() -> None:
    attribute = re.compile(r'\b(?:fill|stroke|stop-color|color|style)="([^"]*)"')
    found = {
        str(path.relative_to(TEMPLATES)): values
        for path in TEMPLATES.rglob("*.html")
        if (values := [value for value in attribute.findall(path.read_text()) if COLOUR.search(value)])
    }
    assert found == {}


def test_every_token_is_used_and_every_one_used_is_there() -> None:
    of_all = {path: path.read_text() for path in (TOKENS, *OTHERS)}
    used = {name for text in of_all.values() for name in re.findall(r"var\((--[\w-]+)", text)}
    set_somewhere = {name for text in of_all.values() for name in re.findall(r"(--[\w-]+)\s*:", text)}
    assert used <= set_somewhere
    assert set(re.findall(r"(--[\w-]+)\s*:", of_all[TOKENS])) <= used


def token(name: str) -> str:
    """The value of a token."""
    (value,) = re.findall(rf"--{name}\s*:\s*([^;]+);", TOKENS.read_text())
    return value


def filled_with(selector: str) -> str:
    """The token that fills what the selector names."""
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", "".join(path.read_text() for path in OTHERS))
    (fill,) = {
        found
        for selectors, body in rules
        if selector in [one.strip() for one in selectors.split(",")]
        for found in re.findall(r"\bfill:\s*var\(--([\w-]+)\)", body)
    }
    return fill


@pytest.mark.article("pt:6b")
@pytest.mark.parametrize(("colour", "strongest"), [("red", 0), ("none", 1)])
def test_red_is_red_and_zero_green(colour: str, strongest: int) -> None:
    value = token(filled_with(f".fill-{colour}"))
    parts = [int(value[place : place + 2], 16) for place in (1, 3, 5)]
    assert parts[strongest] > 1.5 * max(parts[:strongest] + parts[strongest + 1 :])


@pytest.mark.article("pt:6b")
def test_black_is_black() -> None:
    value = token(filled_with(".fill-black"))
    assert max(int(value[place : place + 2], 16) for place in (1, 3, 5)) < 0x30


def test_what_no_stylesheet_can_reach_repeats_the_tokens() -> None:
    """The picture of the tab, and the colours that a house has until it chooses its own."""
    icon = (settings.BASE_DIR / "static" / "img" / "icon.svg").read_text()
    assert set(COLOUR_VALUE.findall(icon)) == {token("felt"), token("accent"), token("ivory")}
    fields = {name: Operator._meta.get_field(f"{name}_colour").default for name in ("felt", "accent")}
    assert fields == {name: token(name) for name in fields}
