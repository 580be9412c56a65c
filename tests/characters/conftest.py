"""Characters as other software writes them, made from the built-in human."""

from __future__ import annotations

from pathlib import Path

import pytest

from writhe.research.evaluation.generated_characters import (
    STYLES,
    GeneratedCharacter,
    generate,
)

CHARACTERS = Path(__file__).resolve().parents[3] / "shared" / "characters"


@pytest.fixture(scope="session", params=[style.name for style in STYLES])
def generated(request: pytest.FixtureRequest) -> GeneratedCharacter:
    """The human in the style of other software: names, axes, rest pose, size."""
    return generate(next(style for style in STYLES if style.name == request.param))


@pytest.fixture(scope="session")
def mixamo_character() -> Path:
    """A real Mixamo character with fingers; the test is skipped where it is absent."""
    path = CHARACTERS / "Michelle.glb"
    if not path.exists():
        pytest.skip("the characters from elsewhere are not beside this checkout")
    return path
