"""Parses a joint name: side of the body, possible roles, kind, number."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from writhe.recognition.joint_name_words import (
    EMPTY_WORDS,
    FINGER_OF_WORD,
    KIND_OF_WORD,
    LEFT_WORDS,
    RIGHT_WORDS,
    ROLES_OF_WORD,
    SIDED_PARTS,
)
from writhe.recognition.roles import RigKind

_TOKEN = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\dA-Za-z_]+")
_VERTEBRA = re.compile(r"^(?:[lL][1-5]|[tT](?:1[0-2]|[1-9])|[cC][1-7])$")
_SIDE_GLUED = re.compile(r"^(left|right|l|r)(.+)$")
_PHALANX = {
    "metacarpal": 0,
    "in": 0,
    "palm": 0,
    "proximal": 1,
    "intermediate": 2,
    "medial": 2,
    "distal": 3,
}
_ACCENTS = re.compile("[\u0300-\u036f]")
_PREFIX_SHARE = (
    0.7  # a word in this fraction of all names is a prefix, such as the character's name
)
_MIN_NAMES = 8  # fewer names have no prefix in this sense
# sides in scripts without spaces, written together with the part
_GLUED_SIDES = tuple(
    sorted((w for w in LEFT_WORDS | RIGHT_WORDS if not w.isascii()), key=len, reverse=True)
)
_PROGRAM_NUMBER = frozenset(("mixamorig", "bip", "biped", "character", "genesis", "smpl", "actor"))


@dataclass(frozen=True)
class ParsedName:
    """What a joint's name says about it."""

    side: str | None = None  # "left", "right"
    roles: dict[str, float] = field(default_factory=dict[str, float])  # without side
    kind: RigKind | None = None
    number: int | None = None
    finger: str | None = None
    phalanx: int | None = None
    plain: str = ""  # the name without its side, to find the partner on the other side

    def value(self, part: str) -> float:
        """How well the name fits a role without side: 0 to 1; 0 if it is neutral, -1 if it excludes
        it."""
        if self.kind is not None:
            return -1.0
        if not self.roles:
            return 0.0
        return self.roles.get(part, -1.0)


def parse_names(names: Iterable[str]) -> list[ParsedName]:
    """Parse the names of a skeleton's joints; words that nearly all of them share are ignored."""
    listed = list(names)
    counts = Counter(word for name in listed for word in set(_tokens(_without_namespace(name))))
    least = max(_MIN_NAMES, _PREFIX_SHARE * len(listed))
    shared = frozenset(word for word, count in counts.items() if count >= least)
    return [parse_name(name, shared) for name in listed]


def _without_namespace(name: str) -> str:
    """The name without namespaces and accents."""
    bare = re.split(r"[:|]", unicodedata.normalize("NFKC", name))[-1].strip()
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", bare.replace("ß", "ss")))
    return unicodedata.normalize("NFC", plain)


@lru_cache(maxsize=4096)
def parse_name(name: str, shared: frozenset[str] = frozenset()) -> ParsedName:
    """Parse the name of a joint, without the words `shared` by all joints."""
    bare = _without_namespace(name)
    if _VERTEBRA.match(bare):
        part = "neck" if bare[0] in "cC" else "trunk"
        return ParsedName(roles={part: 1.0}, number=int(bare[1:]), plain=bare.lower())
    tokens = [t for t in _tokens(bare) if t not in shared]
    side, tokens = _take_side(tokens)
    words, number = _without_program(tokens)
    plain = "".join([*words, str(number)])
    phalanx = next((_PHALANX[w] for w in words if w in _PHALANX), None)
    finger = next((FINGER_OF_WORD[w] for w in words if w in FINGER_OF_WORD), None)
    if finger in ("middle", "index") and ROLES_OF_WORD.get("".join(words)):
        finger = None  # SpineMiddle
    spelled = "".join(t for t in tokens if not t.isdigit())
    roles = _roles([spelled], side) if spelled in ROLES_OF_WORD else _roles(words, side)
    if "palm" in words and number is not None:
        roles = {}  # one of the bones of a hand, not the hand
    kind = None if roles else _kind(words, finger)
    if kind is not None and kind is not RigKind.FINGER:
        finger = None
    if finger is not None and not roles:
        kind = RigKind.END if _says_end(words) else RigKind.FINGER
    return ParsedName(side, roles, kind, number, finger if not roles else None, phalanx, plain)


def _tokens(bare: str) -> list[str]:
    """Lower-case words and numbers; sides written together with a word are split off."""
    found: list[str] = []
    for token in _TOKEN.findall(bare):
        word = token.lower()
        ahead = next((s for s in _GLUED_SIDES if word.startswith(s)), None)
        if ahead is not None and not _known(word):
            found += [ahead, word.removeprefix(ahead)]
            continue
        glued = _SIDE_GLUED.match(word)
        if _known(word) or glued is None or not _known(glued[2]):
            found.append(word)
        else:
            found += [glued[1], glued[2]]
    return found


def _known(word: str) -> bool:
    return (
        word in ROLES_OF_WORD
        or word in KIND_OF_WORD
        or word in LEFT_WORDS
        or word in RIGHT_WORDS
        or word in EMPTY_WORDS
    )


def _take_side(tokens: list[str]) -> tuple[str | None, list[str]]:
    for words, side in ((LEFT_WORDS, "left"), (RIGHT_WORDS, "right")):
        if any(t in words for t in tokens):
            other = RIGHT_WORDS if side == "left" else LEFT_WORDS
            if any(t in other for t in tokens):
                continue
            return side, [t for t in tokens if t not in words]
    return None, tokens


def _without_program(tokens: list[str]) -> tuple[list[str], int | None]:
    """The words without those of programs, and the first number that is not a program's."""
    words: list[str] = []
    number: int | None = None
    before = ""
    for token in tokens:
        if token.isdigit():
            if before not in _PROGRAM_NUMBER and number is None:
                number = int(token[:9])
        elif token not in EMPTY_WORDS:
            words.append(token)
        before = token
    return words, number


def _roles(words: list[str], side: str | None) -> dict[str, float]:
    joined = "".join(words)
    roles = ROLES_OF_WORD.get(joined, {})
    if not roles and words and not any(w in KIND_OF_WORD for w in words):
        # a known word among unknown ones: HumanLeftArm, arm_joint_main
        known = [w for w in words if w in ROLES_OF_WORD]
        roles = {} if len(known) != 1 else {r: 0.7 * v for r, v in ROLES_OF_WORD[known[0]].items()}
    if side is None:
        return {r: v for r, v in roles.items() if r not in SIDED_PARTS}
    return {r: v for r, v in roles.items() if r in SIDED_PARTS}


def _says_end(words: list[str]) -> bool:
    return any(KIND_OF_WORD.get(w) is RigKind.END for w in words)


def _kind(words: list[str], finger: str | None) -> RigKind | None:
    kinds = [KIND_OF_WORD[w] for w in (*words, "".join(words)) if w in KIND_OF_WORD]
    for kind in (
        RigKind.HAIR,
        RigKind.CLOTH,
        RigKind.ATTACHMENT,
        RigKind.FACE,
        RigKind.END,
        RigKind.HELPER,
        RigKind.FINGER,
    ):
        if kind in kinds:
            return kind
    return RigKind.FINGER if finger is not None else None
