"""The generated TypeScript interfaces are up to date."""

from __future__ import annotations

from pathlib import Path

from writhe.studio.protocol.typescript import typescript

GENERATED = Path(__file__).parents[3] / "web" / "src" / "generated" / "messages.ts"


def test_the_generated_types_are_fresh() -> None:
    assert GENERATED.read_text(encoding="utf-8") == typescript(), (
        "run: python -m writhe.studio.protocol.typescript"
    )
