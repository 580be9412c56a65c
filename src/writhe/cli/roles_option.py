"""The option `--roles FILE` of all commands that recognise bodies."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from writhe.cli.options import option

_HELP = 'JSON file that corrects roles of joints: {"left_elbow": "joint name", ...}.'
_OPTION = Annotated[Path | None, option(_HELP, "--roles", metavar="FILE")]


def with_roles_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--roles FILE` to a command; the roles apply to every skeleton that it recognises."""
    layout = inspect.signature(command)
    if "roles" in layout.parameters:
        return command

    @wraps(command)
    def wrapper(*args: Any, roles: Path | None = None, **kwargs: Any) -> Any:
        if roles is None:
            return command(*args, **kwargs)
        from writhe.recognition.corrections import read_roles, using_roles

        with using_roles(read_roles(roles)):
            return command(*args, **kwargs)

    hints = get_type_hints(command, include_extras=True) | {"roles": _OPTION}
    extra = inspect.Parameter(
        "roles", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_OPTION
    )
    parameters = [
        p.replace(annotation=hints.get(name, p.annotation)) for name, p in layout.parameters.items()
    ]
    wrapper.__annotations__ = hints
    wrapper.__signature__ = layout.replace(parameters=[*parameters, extra])  # type: ignore[attr-defined]
    del wrapper.__wrapped__
    return wrapper
