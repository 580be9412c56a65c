"""Corrections of an imported character: roles of joints and collision shapes, in the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from writhe.errors import WritheError
from writhe.io.figure_from_skeleton import figure_of
from writhe.recognition import ROLES
from writhe.skeleton import Capsule, Figure
from writhe.studio.document import Document
from writhe.studio.document.embedded_figures import decode_excluded, encode_figure
from writhe.studio.document.history import Edit


def own_figure(document: Document, actor: int) -> tuple[Figure, tuple[Capsule, ...]]:
    """The figure of an actor that came from a file, and the shapes taken out of it."""
    name = document.actor(actor).figure
    row = document.figure_row(name)
    if row is None:
        raise WritheError(
            "roles and shapes of the built-in figures are fixed; open a character of your own"
        )
    return document.figure(name), decode_excluded(row[1])


def put_figure(
    document: Document, edit: Edit, actor: int, figure: Figure, excluded: Sequence[Capsule]
) -> None:
    """Replace the figure of an actor, for all actors with the same body."""
    name = document.actor(actor).figure
    row = document.figure_row(name)
    assert row is not None
    changed = replace(figure, corrected=True)
    data = encode_figure(changed, document.figure_model(name), excluded)
    edit.update("figures", row[0], data=data)
    versions = document.setting("figure_versions", dict[str, int], {})
    # higher than every version that undo or redo can bring back
    edit.setting("figure_versions", versions | {name: document.next_figure_version()})


def with_role(figure: Figure, joint: str, role: str) -> Figure:
    """The figure with a joint's role changed ("" for none).

    The other roles stay where they are; limits, masses and strands follow the roles, shapes stay.
    """
    figure.skeleton.index(joint)
    if role and role not in ROLES:
        raise WritheError(f"{role!r} is not a role; available: {', '.join(ROLES)}")
    old = dict(figure.roles)
    known: dict[str, str | None] = {r: old.get(r) for r in ROLES}
    for other, name in old.items():
        if name == joint:
            known[other] = None
    if role:
        known[role] = joint
    skeleton = figure.skeleton.with_limits(dict.fromkeys(figure.skeleton.names, None))
    found = figure_of(
        skeleton, name=figure.name, roles=known, partial=True, anatomy=True, shapes=figure.capsules
    )
    return replace(found, skin=figure.skin, source=figure.source)


def with_radius(figure: Figure, shape: int, radius_m: float) -> Figure:
    """The figure with another radius of a shape."""
    capsules = list(figure.capsules)
    at = _checked(shape, len(capsules))
    capsules[at] = replace(capsules[at], radius_m=radius_m)
    return replace(figure, capsules=tuple(capsules))


def without_shape(
    figure: Figure, excluded: Sequence[Capsule], shape: int
) -> tuple[Figure, tuple[Capsule, ...]]:
    """The figure without a shape, and the shapes taken out."""
    capsules = list(figure.capsules)
    taken = capsules.pop(_checked(shape, len(capsules)))
    if not capsules:
        raise WritheError("this is the last collision shape: a body needs at least one")
    return replace(figure, capsules=tuple(capsules)), (*excluded, taken)


def with_shape(
    figure: Figure, excluded: Sequence[Capsule], shape: int
) -> tuple[Figure, tuple[Capsule, ...]]:
    """The figure with a shape put back, and the shapes that stay out."""
    out = list(excluded)
    back = out.pop(_checked(shape, len(out)))
    return replace(figure, capsules=(*figure.capsules, back)), tuple(out)


def _checked(shape: int, count: int) -> int:
    if not 0 <= shape < count:
        raise WritheError("that shape no longer exists")
    return shape
