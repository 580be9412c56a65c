"""Joint names and hierarchies of the rigs of many programs and data sets.

In patterns {S} is Left/Right, {l} left/right, {s} l/r, {C} L/R, {F} Thumb/Index/..., {f} the same
in lower case, {n} the number of a finger joint.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class RigStyle:
    """The names and the arrangement of one rig.

    trunk, neck: (role or None, name) from the hips to the last joint below the neck, and above.
    arm, leg: (role or None, pattern) from the trunk outwards; None is a joint without a role.
    fingers: a pattern with {n} from 1 to `finger_joints`; the joints after the third are tips.
    twists: patterns of helper leaves, by the role whose bone they lie on.
    ends: patterns of end markers, by the role that they follow.
    extra: (parent role, pattern) of joints that have no role: hair, cloth, eyes, weapons.
    """

    family: str
    trunk: tuple[tuple[str | None, str], ...]
    neck: tuple[tuple[str | None, str], ...]
    arm: tuple[tuple[str | None, str], ...]
    leg: tuple[tuple[str | None, str], ...]
    fingers: str = ""
    finger_joints: int = 3
    finger_names: tuple[str, ...] = ("Thumb", "Index", "Middle", "Ring", "Pinky")
    metacarpals: str = ""
    containers: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()  # children of the last container, beside the hips
    twists: dict[str, str] = field(default_factory=dict[str, str])
    ends: dict[str, str] = field(default_factory=dict[str, str])
    extra: tuple[tuple[str, str], ...] = ()
    legs_on: str | None = None  # name of the trunk joint that carries the legs, if not the hips
    arms_on: str | None = None  # name of the joint that carries the arms, if not the last of trunk
    arms_down_deg: float = 0.0  # A-pose
    metres_per_unit: float = 1.0
    z_up: bool = False
    facing_back: bool = False  # VRM 0: towards -Z
    bone_axis: str | None = None  # joint frames turned so that bones run along this axis


def _arm(
    clavicle: str, shoulder: str, elbow: str, wrist: str
) -> tuple[tuple[str | None, str], ...]:
    return (("clavicle", clavicle), ("shoulder", shoulder), ("elbow", elbow), ("wrist", wrist))


def _leg(hip: str, knee: str, ankle: str, toe: str) -> tuple[tuple[str | None, str], ...]:
    return (("hip", hip), ("knee", knee), ("ankle", ankle), ("toe", toe))


def _trunk(*names: str) -> tuple[tuple[str | None, str], ...]:
    """Hips, spine, joints without a role, chest."""
    roles: list[str | None] = [None] * len(names)
    roles[0], roles[1], roles[-1] = "hips", "spine", "chest"
    return tuple(zip(roles, names, strict=True))


def _neck(*names: str) -> tuple[tuple[str | None, str], ...]:
    roles: list[str | None] = [None] * len(names)
    roles[0], roles[-1] = "neck", "head"
    return tuple(zip(roles, names, strict=True))


def _mixamo(prefix: str, **more: object) -> RigStyle:
    p = prefix
    return RigStyle(
        "mixamo",
        _trunk(p + "Hips", p + "Spine", p + "Spine1", p + "Spine2"),
        _neck(p + "Neck", p + "Head"),
        _arm(p + "{S}Shoulder", p + "{S}Arm", p + "{S}ForeArm", p + "{S}Hand"),
        _leg(p + "{S}UpLeg", p + "{S}Leg", p + "{S}Foot", p + "{S}ToeBase"),
        fingers=p + "{S}Hand{F}{n}",
        finger_joints=4,
        ends={"head": p + "HeadTop_End", "toe": p + "{S}Toe_End"},
        **more,  # pyright: ignore[reportArgumentType]
    )


_VRM_ARM = _arm("{l}Shoulder", "{l}UpperArm", "{l}LowerArm", "{l}Hand")
_VRM_LEG = _leg("{l}UpperLeg", "{l}LowerLeg", "{l}Foot", "{l}Toes")
_UE_TWISTS = {
    "shoulder": "upperarm_twist_01_{s}",
    "elbow": "lowerarm_twist_01_{s}",
    "hip": "thigh_twist_01_{s}",
    "knee": "calf_twist_01_{s}",
}

STYLES: dict[str, RigStyle] = {
    "mixamo": _mixamo("mixamorig:"),
    "mixamo centimetres": _mixamo(
        "mixamorig1:", containers=("Armature",), metres_per_unit=0.01, arms_down_deg=40.0
    ),
    "ready player me": RigStyle(
        "ready player me",
        _trunk("Hips", "Spine", "Spine1", "Spine2"),
        _neck("Neck", "Head"),
        _arm("{S}Shoulder", "{S}Arm", "{S}ForeArm", "{S}Hand"),
        _leg("{S}UpLeg", "{S}Leg", "{S}Foot", "{S}ToeBase"),
        fingers="{S}Hand{F}{n}",
        finger_joints=4,
        containers=("Armature",),
        ends={"head": "HeadTop_End", "toe": "{S}Toe_End"},
        extra=(("head", "{S}Eye"),),
        bone_axis="y",
    ),
    "vrm 1": RigStyle(
        "vrm",
        _trunk("hips", "spine", "chest", "upperChest"),
        _neck("neck", "head"),
        _VRM_ARM,
        _VRM_LEG,
        fingers="{l}{F}{p}",
        finger_names=("Thumb", "Index", "Middle", "Ring", "Little"),
        extra=(("head", "{l}Eye"), ("head", "jaw")),
    ),
    "vroid": RigStyle(
        "vroid",
        _trunk("J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_UpperChest"),
        _neck("J_Bip_C_Neck", "J_Bip_C_Head"),
        _arm("J_Bip_{C}_Shoulder", "J_Bip_{C}_UpperArm", "J_Bip_{C}_LowerArm", "J_Bip_{C}_Hand"),
        _leg("J_Bip_{C}_UpperLeg", "J_Bip_{C}_LowerLeg", "J_Bip_{C}_Foot", "J_Bip_{C}_ToeBase"),
        fingers="J_Bip_{C}_{F}{n}",
        finger_names=("Thumb", "Index", "Middle", "Ring", "Little"),
        containers=("Root",),
        extra=(
            ("head", "J_Adj_{C}_FaceEye"),
            ("head", "J_Sec_Hair1_01"),
            ("head", "J_Sec_{C}_HairLong_02"),
            ("chest", "J_Sec_{C}_Bust1"),
            ("hips", "J_Sec_{C}_SkirtSide_01"),
        ),
        facing_back=True,
    ),
    "unity": RigStyle(
        "unity",
        _trunk("Hips", "Spine", "Chest"),
        _neck("Neck", "Head"),
        _arm("{S}Shoulder", "{S}UpperArm", "{S}LowerArm", "{S}Hand"),
        _leg("{S}UpperLeg", "{S}LowerLeg", "{S}Foot", "{S}Toes"),
        containers=("Character", "Root"),
        extra=(("wrist", "{S}WeaponSocket"),),
    ),
    "unreal 4": RigStyle(
        "unreal",
        _trunk("pelvis", "spine_01", "spine_02", "spine_03"),
        _neck("neck_01", "head"),
        _arm("clavicle_{s}", "upperarm_{s}", "lowerarm_{s}", "hand_{s}"),
        _leg("thigh_{s}", "calf_{s}", "foot_{s}", "ball_{s}"),
        fingers="{f}_0{n}_{s}",
        containers=("root",),
        beside=("ik_foot_root", "ik_hand_root"),
        twists=_UE_TWISTS,
        arms_down_deg=45.0,
        metres_per_unit=0.01,
        z_up=True,
        bone_axis="x",
    ),
    "unreal 5": RigStyle(
        "unreal",
        _trunk("pelvis", "spine_01", "spine_02", "spine_03", "spine_04", "spine_05"),
        _neck("neck_01", "neck_02", "head"),
        _arm("clavicle_{s}", "upperarm_{s}", "lowerarm_{s}", "hand_{s}"),
        _leg("thigh_{s}", "calf_{s}", "foot_{s}", "ball_{s}"),
        fingers="{f}_0{n}_{s}",
        metacarpals="{f}_metacarpal_{s}",
        containers=("root",),
        beside=("ik_foot_root", "ik_hand_root", "interaction", "center_of_mass"),
        twists=_UE_TWISTS | {"ankle": "ankle_fwd_{s}"},
        extra=(("shoulder", "upperarm_correctiveRoot_{s}"), ("hip", "thigh_correctiveRoot_{s}")),
        arms_down_deg=45.0,
        z_up=True,
        metres_per_unit=0.01,
        bone_axis="x",
    ),
    "rigify": RigStyle(
        "rigify",
        _trunk("DEF-spine", "DEF-spine.001", "DEF-spine.002", "DEF-spine.003"),
        _neck("DEF-spine.004", "DEF-spine.005", "DEF-spine.006"),
        (
            ("clavicle", "DEF-shoulder.{C}"),
            ("shoulder", "DEF-upper_arm.{C}"),
            (None, "DEF-upper_arm.{C}.001"),
            ("elbow", "DEF-forearm.{C}"),
            (None, "DEF-forearm.{C}.001"),
            ("wrist", "DEF-hand.{C}"),
        ),
        (
            ("hip", "DEF-thigh.{C}"),
            (None, "DEF-thigh.{C}.001"),
            ("knee", "DEF-shin.{C}"),
            (None, "DEF-shin.{C}.001"),
            ("ankle", "DEF-foot.{C}"),
            ("toe", "DEF-toe.{C}"),
        ),
        fingers="DEF-{r}.0{n}.{C}",
        containers=("root",),
        extra=(("hips", "DEF-pelvis.{C}"), ("chest", "DEF-breast.{C}")),
        arms_down_deg=30.0,
        z_up=True,
        bone_axis="y",
    ),
    "rigify metarig": RigStyle(
        "rigify",
        _trunk("spine", "spine.001", "spine.002", "spine.003"),
        _neck("spine.004", "spine.006"),
        _arm("shoulder.{C}", "upper_arm.{C}", "forearm.{C}", "hand.{C}"),
        _leg("thigh.{C}", "shin.{C}", "foot.{C}", "toe.{C}"),
        extra=(("ankle", "heel.02.{C}"), ("hips", "pelvis.{C}")),
        z_up=True,
        bone_axis="y",
    ),
    "auto-rig pro": RigStyle(
        "auto-rig pro",
        _trunk("root.x", "spine_01.x", "spine_02.x", "spine_03.x"),
        _neck("neck.x", "head.x"),
        _arm("shoulder.{s}", "arm_stretch.{s}", "forearm_stretch.{s}", "hand.{s}"),
        _leg("thigh_stretch.{s}", "leg_stretch.{s}", "foot.{s}", "toes_01.{s}"),
        fingers="c_{f}{n}.{s}",
        twists={
            "shoulder": "arm_twist.{s}",
            "elbow": "forearm_twist.{s}",
            "hip": "thigh_twist.{s}",
            "knee": "leg_twist.{s}",
        },
        arms_down_deg=50.0,
        z_up=True,
        bone_axis="y",
    ),
    "biped": RigStyle(
        "biped",
        _trunk("Bip01 Pelvis", "Bip01 Spine", "Bip01 Spine1"),
        _neck("Bip01 Neck", "Bip01 Head"),
        _arm("Bip01 {C} Clavicle", "Bip01 {C} UpperArm", "Bip01 {C} Forearm", "Bip01 {C} Hand"),
        _leg("Bip01 {C} Thigh", "Bip01 {C} Calf", "Bip01 {C} Foot", "Bip01 {C} Toe0"),
        fingers="Bip01 {C} Finger{d}{m}",
        containers=("Bip01",),
        ends={"head": "Bip01 HeadNub", "toe": "Bip01 {C} Toe0Nub"},
        legs_on="Bip01 Spine",
        arms_on="Bip01 Neck",
        z_up=True,
        metres_per_unit=0.0254,
        bone_axis="x",
    ),
    "valve biped": RigStyle(
        "biped",
        _trunk(
            "ValveBiped.Bip01_Pelvis",
            "ValveBiped.Bip01_Spine",
            "ValveBiped.Bip01_Spine1",
            "ValveBiped.Bip01_Spine2",
            "ValveBiped.Bip01_Spine4",
        ),
        _neck("ValveBiped.Bip01_Neck1", "ValveBiped.Bip01_Head1"),
        _arm(
            "ValveBiped.Bip01_{C}_Clavicle",
            "ValveBiped.Bip01_{C}_UpperArm",
            "ValveBiped.Bip01_{C}_Forearm",
            "ValveBiped.Bip01_{C}_Hand",
        ),
        _leg(
            "ValveBiped.Bip01_{C}_Thigh",
            "ValveBiped.Bip01_{C}_Calf",
            "ValveBiped.Bip01_{C}_Foot",
            "ValveBiped.Bip01_{C}_Toe0",
        ),
        extra=(("wrist", "ValveBiped.Anim_Attachment_{C}H"),),
        metres_per_unit=0.0254,
        z_up=True,
    ),
    "lafan1": RigStyle(
        "lafan1",
        _trunk("Hips", "Spine", "Spine1", "Spine2"),
        _neck("Neck", "Head"),
        _arm("{S}Shoulder", "{S}Arm", "{S}ForeArm", "{S}Hand"),
        _leg("{S}UpLeg", "{S}Leg", "{S}Foot", "{S}Toe"),
        metres_per_unit=0.01,
    ),
    "bandai-namco": RigStyle(
        "bandai-namco",
        _trunk("Hips", "Spine", "Chest"),
        _neck("Neck", "Head"),
        _arm("Shoulder_{C}", "UpperArm_{C}", "LowerArm_{C}", "Hand_{C}"),
        _leg("UpperLeg_{C}", "LowerLeg_{C}", "Foot_{C}", "Toes_{C}"),
        containers=("joint_Root",),
        metres_per_unit=0.01,
    ),
    "cmu": RigStyle(
        "cmu",
        (("hips", "Hips"), (None, "LowerBack"), ("spine", "Spine"), ("chest", "Spine1")),
        ((None, "Neck"), ("neck", "Neck1"), ("head", "Head")),
        (
            ("clavicle", "{S}Shoulder"),
            ("shoulder", "{S}Arm"),
            ("elbow", "{S}ForeArm"),
            (None, "{S}Hand"),
            ("wrist", "{S}FingerBase"),
        ),
        ((None, "{C}HipJoint"), *_leg("{S}UpLeg", "{S}Leg", "{S}Foot", "{S}ToeBase")),
        extra=(("wrist", "{C}Thumb"),),
        metres_per_unit=0.0254 / 0.45,
    ),
    "asf": RigStyle(
        "asf",
        _trunk("root", "lowerback", "upperback", "thorax"),
        _neck("lowerneck", "upperneck", "head"),
        _arm("{s}clavicle", "{s}humerus", "{s}radius", "{s}wrist"),
        (("hip", "{s}femur"), ("knee", "{s}tibia"), ("ankle", "{s}foot"), ("toe", "{s}toes")),
        extra=(("wrist", "{s}thumb"),),
    ),
    "smpl": RigStyle(
        "smpl",
        _trunk("pelvis", "spine1", "spine2", "spine3"),
        _neck("neck", "head"),
        (*_arm("{l}_collar", "{l}_shoulder", "{l}_elbow", "{l}_wrist"), (None, "{l}_hand")),
        _leg("{l}_hip", "{l}_knee", "{l}_ankle", "{l}_foot"),
    ),
    "smpl fbx": RigStyle(
        "smpl",
        _trunk("m_avg_Pelvis", "m_avg_Spine1", "m_avg_Spine2", "m_avg_Spine3"),
        _neck("m_avg_Neck", "m_avg_Head"),
        (
            *_arm("m_avg_{C}_Collar", "m_avg_{C}_Shoulder", "m_avg_{C}_Elbow", "m_avg_{C}_Wrist"),
            (None, "m_avg_{C}_Hand"),
        ),
        _leg("m_avg_{C}_Hip", "m_avg_{C}_Knee", "m_avg_{C}_Ankle", "m_avg_{C}_Foot"),
        containers=("m_avg_root",),
        metres_per_unit=0.01,
    ),
    "smpl-x": RigStyle(
        "smpl-x",
        _trunk("pelvis", "spine1", "spine2", "spine3"),
        _neck("neck", "head"),
        _arm("{l}_collar", "{l}_shoulder", "{l}_elbow", "{l}_wrist"),
        _leg("{l}_hip", "{l}_knee", "{l}_ankle", "{l}_foot"),
        fingers="{l}_{f}{n}",
        extra=(("head", "jaw"), ("head", "{l}_eye_smplhf")),
    ),
    "rokoko": RigStyle(
        "rokoko",
        _trunk("Hips", "Spine1", "Spine2", "Spine3", "Spine4"),
        _neck("Neck", "Head"),
        _arm("{S}Shoulder", "{S}Arm", "{S}ForeArm", "{S}Hand"),
        _leg("{S}Thigh", "{S}Shin", "{S}Foot", "{S}Toe"),
        fingers="{S}Finger{d1}{P}",
        ends={"toe": "{S}ToeTip"},
        containers=("newton",),
    ),
    "rokoko mixamo": RigStyle(
        "rokoko",
        _trunk("Hips", "Spine", "Spine1", "Spine2"),
        _neck("Neck", "Head"),
        _arm("{S}Shoulder", "{S}Arm", "{S}ForeArm", "{S}Hand"),
        _leg("{S}UpLeg", "{S}Leg", "{S}Foot", "{S}ToeBase"),
        fingers="{S}Hand{F}{n}",
        metacarpals="{S}InHand{F}",
        metres_per_unit=0.01,
    ),
    "xsens": RigStyle(
        "xsens",
        _trunk("Pelvis", "L5", "L3", "T12", "T8"),
        _neck("Neck", "Head"),
        _arm("{S} Shoulder", "{S} Upper Arm", "{S} Forearm", "{S} Hand"),
        _leg("{S} Upper Leg", "{S} Lower Leg", "{S} Foot", "{S} Toe"),
        z_up=True,
    ),
    "xsens bvh": RigStyle(
        "xsens",
        _trunk("Hips", "Chest", "Chest2", "Chest3", "Chest4"),
        _neck("Neck", "Head"),
        _arm("{S}Collar", "{S}Shoulder", "{S}Elbow", "{S}Wrist"),
        _leg("{S}Hip", "{S}Knee", "{S}Ankle", "{S}Toe"),
        metres_per_unit=0.01,
    ),
    "daz": RigStyle(
        "daz",
        _trunk("hip", "abdomenLower", "abdomenUpper", "chestLower", "chestUpper"),
        _neck("neckLower", "neckUpper", "head"),
        (
            ("clavicle", "{s}Collar"),
            ("shoulder", "{s}ShldrBend"),
            (None, "{s}ShldrTwist"),
            ("elbow", "{s}ForearmBend"),
            (None, "{s}ForearmTwist"),
            ("wrist", "{s}Hand"),
        ),
        (
            (None, "pelvis"),
            ("hip", "{s}ThighBend"),
            (None, "{s}ThighTwist"),
            ("knee", "{s}Shin"),
            ("ankle", "{s}Foot"),
            ("toe", "{s}Toe"),
        ),
        fingers="{s}{F}{n}",
        finger_names=("Thumb", "Index", "Mid", "Ring", "Pinky"),
        containers=("Genesis8Female",),
        extra=(("head", "{s}Eye"), ("head", "tongue01"), ("chest", "{s}Pectoral")),
        metres_per_unit=0.01,
    ),
    "character creator": RigStyle(
        "character creator",
        _trunk("CC_Base_Hip", "CC_Base_Waist", "CC_Base_Spine01", "CC_Base_Spine02"),
        _neck("CC_Base_NeckTwist01", "CC_Base_NeckTwist02", "CC_Base_Head"),
        _arm(
            "CC_Base_{C}_Clavicle",
            "CC_Base_{C}_Upperarm",
            "CC_Base_{C}_Forearm",
            "CC_Base_{C}_Hand",
        ),
        (
            (None, "CC_Base_Pelvis"),
            ("hip", "CC_Base_{C}_Thigh"),
            ("knee", "CC_Base_{C}_Calf"),
            ("ankle", "CC_Base_{C}_Foot"),
            ("toe", "CC_Base_{C}_ToeBase"),
        ),
        fingers="CC_Base_{C}_{F}{n}",
        finger_names=("Thumb", "Index", "Mid", "Ring", "Pinky"),
        containers=("RL_BoneRoot",),
        twists={"shoulder": "CC_Base_{C}_UpperarmTwist01", "hip": "CC_Base_{C}_ThighTwist01"},
        extra=(
            ("elbow", "CC_Base_{C}_ElbowShareBone"),
            ("head", "CC_Base_FacialBone"),
            ("chest", "CC_Base_{C}_RibsTwist"),
        ),
        arms_down_deg=35.0,
        metres_per_unit=0.01,
    ),
    "mmd": RigStyle(
        "mmd",
        _trunk("グルーブ", "上半身", "上半身2"),
        _neck("首", "頭"),
        _arm("{J}肩", "{J}腕", "{J}ひじ", "{J}手首"),
        ((None, "下半身"), *_leg("{J}足", "{J}ひざ", "{J}足首", "{J}つま先")),
        containers=("全ての親", "センター"),
        arms_down_deg=35.0,
        metres_per_unit=0.08,
        facing_back=True,
    ),
    "advanced skeleton": RigStyle(
        "unknown",
        _trunk("Root_M", "Spine1_M", "Spine2_M", "Chest_M"),
        _neck("Neck_M", "Head_M"),
        _arm("Scapula_{C}", "Shoulder_{C}", "Elbow_{C}", "Wrist_{C}"),
        _leg("Hip_{C}", "Knee_{C}", "Ankle_{C}", "Toes_{C}"),
        fingers="{F}Finger{n}_{C}",
        finger_joints=4,
        ends={"head": "HeadEnd_M", "toe": "ToesEnd_{C}"},
        twists={"shoulder": "ShoulderPart1_{C}", "hip": "HipPart1_{C}"},
    ),
    "motionbuilder": RigStyle(
        "mixamo",
        _trunk("Character1_Hips", "Character1_Spine", "Character1_Spine1", "Character1_Spine2"),
        _neck("Character1_Neck", "Character1_Head"),
        _arm(
            "Character1_{S}Shoulder",
            "Character1_{S}Arm",
            "Character1_{S}ForeArm",
            "Character1_{S}Hand",
        ),
        _leg(
            "Character1_{S}UpLeg",
            "Character1_{S}Leg",
            "Character1_{S}Foot",
            "Character1_{S}ToeBase",
        ),
        containers=("Character1_Reference",),
        twists={"shoulder": "Character1_{S}ArmRoll", "knee": "Character1_{S}LegRoll"},
        metres_per_unit=0.01,
    ),
    "optitrack": RigStyle(
        "unknown",
        _trunk("Hip", "Ab", "Chest"),
        _neck("Neck", "Head"),
        _arm("{C}Shoulder", "{C}UArm", "{C}FArm", "{C}Hand"),
        _leg("{C}Thigh", "{C}Shin", "{C}Foot", "{C}Toe"),
    ),
    "second life": RigStyle(
        "unknown",
        _trunk("mPelvis", "mTorso", "mChest"),
        _neck("mNeck", "mHead"),
        _arm("mCollar{S}", "mShoulder{S}", "mElbow{S}", "mWrist{S}"),
        (
            ("hip", "mHip{S}"),
            ("knee", "mKnee{S}"),
            ("ankle", "mAnkle{S}"),
            (None, "mFoot{S}"),
            ("toe", "mToe{S}"),
        ),
        extra=(("head", "mEye{S}"), ("head", "mSkull")),
        z_up=True,
    ),
    "numbered limbs": RigStyle(
        "unknown",
        (("hips", "torso_joint_1"), ("spine", "torso_joint_2"), ("chest", "torso_joint_3")),
        _neck("neck_joint_1", "neck_joint_2"),
        _arm("arm_joint_{C}_1", "arm_joint_{C}_2", "arm_joint_{C}_3", "arm_joint_{C}_4"),
        _leg("leg_joint_{C}_1", "leg_joint_{C}_2", "leg_joint_{C}_3", "leg_joint_{C}_5"),
        containers=("Z_UP", "Armature"),
        arms_down_deg=30.0,
    ),
    "spanish": RigStyle(
        "unknown",
        _trunk("cadera", "columna1", "columna2", "pecho"),
        _neck("cuello", "cabeza"),
        _arm("clavicula_{C}", "brazo_{C}", "antebrazo_{C}", "mano_{C}"),
        _leg("muslo_{C}", "pierna_{C}", "pie_{C}", "dedos_{C}"),
        ends={"toe": "dedos_{C}_fin", "head": "cabeza_fin"},
        z_up=True,
    ),
}
