"""Which joint of a skeleton plays which anatomical role, and what the other joints are for.

Names are loaded when first used, so that a process loads only what it needs.
"""

from typing import TYPE_CHECKING

from writhe.lazy import lazy_names

if TYPE_CHECKING:
    from writhe.recognition.corrections import (
        corrected,
        forget_roles,
        read_roles,
        remember_roles,
        remembered_roles,
        using_roles,
    )
    from writhe.recognition.naming_conventions import family_of, roles_of_vrm
    from writhe.recognition.recognise import Recognition, recognise, require_person
    from writhe.recognition.roles import ESSENTIAL, FINGER_ROLES, ROLES, RigKind
else:
    __getattr__ = lazy_names(
        __name__,
        {
            **dict.fromkeys(
                (
                    "corrected",
                    "forget_roles",
                    "read_roles",
                    "remember_roles",
                    "remembered_roles",
                    "using_roles",
                ),
                "writhe.recognition.corrections",
            ),
            **dict.fromkeys(("family_of", "roles_of_vrm"), "writhe.recognition.naming_conventions"),
            **dict.fromkeys(
                ("Recognition", "recognise", "require_person"), "writhe.recognition.recognise"
            ),
            **dict.fromkeys(
                ("ESSENTIAL", "FINGER_ROLES", "ROLES", "RigKind"), "writhe.recognition.roles"
            ),
        },
    )

__all__ = [
    "ESSENTIAL",
    "FINGER_ROLES",
    "ROLES",
    "Recognition",
    "RigKind",
    "corrected",
    "family_of",
    "forget_roles",
    "read_roles",
    "recognise",
    "remember_roles",
    "remembered_roles",
    "require_person",
    "roles_of_vrm",
    "using_roles",
]
