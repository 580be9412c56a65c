"""Which joint of a skeleton plays which anatomical role, and what the other joints are for."""

from writhe.recognition.corrections import (
    corrected,
    forget_roles,
    read_roles,
    remember_roles,
    remembered_roles,
    using_roles,
)
from writhe.recognition.families import family_of, roles_of_vrm
from writhe.recognition.recognise import Recognition, recognise, require_person
from writhe.recognition.roles import ESSENTIAL, FINGER_ROLES, ROLES, RigKind

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
