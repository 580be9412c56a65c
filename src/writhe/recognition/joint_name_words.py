"""Words in joint names: which role or kind of joint they stand for.

A word may stand for several roles (a `shoulder` is a clavicle in some families and the upper arm
in others); the values (0 to 1) say how likely each is, and the position in the limb decides.
"""

from __future__ import annotations

from writhe.recognition.joint_name_languages import (
    FOREIGN_FINGER_WORDS,
    FOREIGN_KIND_WORDS,
    FOREIGN_LEFT,
    FOREIGN_LEGS,
    FOREIGN_RIGHT,
    FOREIGN_ROLE_WORDS,
    FOREIGN_SHOULDERS,
)
from writhe.recognition.roles import RigKind

# role without its side to (words, value)
_ROLE_WORDS: dict[str, tuple[tuple[str, float], ...]] = {
    "hips": (
        ("hips pelvis hipcenter hip_center hip bassin bekken cadera 腰", 1.0),
        ("root lowerbody lowertorso cog groove センター グルーブ", 0.4),
    ),
    "trunk": (
        (
            "spine spinenaval spinechest uppertorso ab chest upperchest lowerchest torso"
            " abdomen abdomenlower abdomenupper chestlower"
            " chestupper lowerback midback upperback back waist thorax ribcage ribs lumbar sternum"
            " upperbody stomach belly spinelower spinemiddle spinemid spineupper lowerspine"
            " middlespine upperspine spinebase hipspine 上半身 上半身2 上半身3",
            1.0,
        ),
    ),
    "neck": (
        (
            "neck necktwist neckbase lowerneck upperneck necklower neckupper neckroot headneck 首",
            1.0,
        ),
    ),
    "head": (("head skull cranium headbase 頭", 1.0),),
    "clavicle": (
        (
            "clavicle clav collar collarbone scapula shoulderblade innershoulder sternoclavicular",
            1.0,
        ),
        ("shoulder shldr 肩", 0.8),
    ),
    "shoulder": (
        (
            "upperarm uparm uarm armupper humerus upperarmbend shldrbend armstretch 腕",
            1.0,
        ),
        ("arm upper_arm", 0.9),
        ("shoulder shldr", 0.8),
    ),
    "elbow": (
        (
            "forearm farm lowerarm lowarm loarm armlower elbow radius ulna forearmbend"
            " forearmstretch ひじ",
            1.0,
        ),
    ),
    "wrist": (("wrist fingerbase 手首", 1.0), ("hand", 0.9), ("palm", 0.5)),
    "hip": (
        (
            "upleg upperleg uplegs thigh femur legupper thighbend thighstretch upperthigh 足"
            " hipthigh",
            1.0,
        ),
        ("hip", 0.95),
        ("leg", 0.55),
        ("hipjoint", 0.3),
    ),
    "knee": (
        (
            "lowerleg lowleg loleg leglower knee shin calf tibia shank crus legstretch calfbend"
            " shinbend ひざ",
            1.0,
        ),
        ("leg", 0.7),
    ),
    "ankle": (("ankle 足首", 1.0), ("foot", 0.9)),
    "toe": (
        ("toe toes toebase ball toesbase football forefoot つま先 足先ex", 1.0),
        ("foot", 0.35),
        ("toe0", 0.9),
    ),
}
SIDED_PARTS = ("clavicle", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "toe")

_KIND_WORDS: dict[RigKind, str] = {
    RigKind.HELPER: (
        "twist roll ik fk pole target ctrl control controller helper corrective driver driven share"
        " aim constraint mch tweak muscle bicep tricep deltoid lat pec pectoral glute buttock butt"
        " bulge volume correction offset pivot gizmo handle parent space follow master twister 捩"
        " 捩り adj sec support dummy null roll1 jiggle breast boob bust armpit trapezius heel"
    ),
    RigKind.END: "end nub tip headtop effector eff site endsite leaf terminal marker",
    RigKind.FINGER: "finger fingers thumb index middle mid ring pinky pinkie little metacarpal"
    " palm carpal knuckle phalanx 親指 人指 人差指 中指 薬指 小指",
    RigKind.FACE: "eye eyes eyelid eyelids eyebrow brow jaw tongue teeth tooth lip lips mouth nose"
    " nostril cheek chin face facial ear forehead temple eyelash lash lid squint 目 左目 右目 両目",
    RigKind.HAIR: "hair bangs ponytail braid pigtail beard moustache mustache fringe ahoge 髪",
    RigKind.CLOTH: "skirt cloth cape cloak coat sleeve hood scarf ribbon dress robe tie collarcloth"
    " jacket pants belt hem flap apron string strap スカート",
    RigKind.ATTACHMENT: "weapon sword gun prop shield bag backpack attach attachment socket slot"
    " holster camera tail wing wings hat helmet glasses item accessory accessories quiver bow",
}
FINGER_WORDS = {
    "thumb": "thumb 親指",
    "index": "index pointer 人指 人差指 indexfinger",
    "middle": "middle mid 中指 middlefinger",
    "ring": "ring 薬指 ringfinger",
    "pinky": "pinky pinkie little 小指 pinkyfinger littlefinger",
}


def _words(text: str) -> list[str]:
    return [w.replace("_", "") for w in text.split()]


# words without meaning for the role: prefixes of programs, words for "joint"
EMPTY_WORDS = frozenset(
    _words(
        "mixamorig mixamo bip bip01 bip001 biped valve valvebiped def org joint jnt jt bone bn"
        " skeleton skel rig armature sk skin character char cc base avg m f actor b j c x ctr"
        " center centre g bend stretch deform dfm bind jo geo body anim motion sensor segment link"
        " avatar genesis man woman male female rokoko newton mvn xsens smpl smplx"
    )
)
LEFT_WORDS = frozenset(_words(f"l left lft lt 左 {FOREIGN_LEFT}"))
RIGHT_WORDS = frozenset(_words(f"r right rgt rt 右 {FOREIGN_RIGHT}"))


def _role_table() -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = {}
    for role, rows in _ROLE_WORDS.items():
        for text, value in rows:
            for word in _words(text):
                table.setdefault(word, {})[role] = value
    for role, text in FOREIGN_ROLE_WORDS.items():
        for word in _words(text):
            table.setdefault(word, {})[role] = 1.0
    for text, english in ((FOREIGN_SHOULDERS, "shoulder"), (FOREIGN_LEGS, "leg")):
        table |= dict.fromkeys(_words(text), table[english])
    return table


def _kind_table() -> dict[str, RigKind]:
    tables = (_KIND_WORDS, FOREIGN_KIND_WORDS)
    table = {word: kind for rows in tables for kind, text in rows.items() for word in _words(text)}
    return table | dict.fromkeys(FINGER_OF_WORD, RigKind.FINGER)


# word to {role without its side: value}
ROLES_OF_WORD = _role_table()
FINGER_OF_WORD = {
    word: finger
    for words in (FINGER_WORDS, FOREIGN_FINGER_WORDS)
    for finger, text in words.items()
    for word in _words(text)
}
KIND_OF_WORD = _kind_table()
