"""Kinds of parsed JSON values. Unlike `isinstance`, they tell a type checker what values hold."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value is a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a value is a JSON list."""
    return isinstance(value, list)
