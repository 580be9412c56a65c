"""Joint names and hierarchies of motion capture: data sets, suits and their exports."""

from __future__ import annotations

from writhe.research.evaluation.rigs.rig_style import (
    RigStyle,
    arm_joints,
    leg_joints,
    neck_joints,
    trunk_joints,
)

CAPTURE_STYLES: dict[str, RigStyle] = {
    "lafan1": RigStyle(
        "lafan1",
        trunk_joints("Hips", "Spine", "Spine1", "Spine2"),
        neck_joints("Neck", "Head"),
        arm_joints("{S}Shoulder", "{S}Arm", "{S}ForeArm", "{S}Hand"),
        leg_joints("{S}UpLeg", "{S}Leg", "{S}Foot", "{S}Toe"),
        metres_per_unit=0.01,
    ),
    "bandai-namco": RigStyle(
        "bandai-namco",
        trunk_joints("Hips", "Spine", "Chest"),
        neck_joints("Neck", "Head"),
        arm_joints("Shoulder_{C}", "UpperArm_{C}", "LowerArm_{C}", "Hand_{C}"),
        leg_joints("UpperLeg_{C}", "LowerLeg_{C}", "Foot_{C}", "Toes_{C}"),
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
        ((None, "{C}HipJoint"), *leg_joints("{S}UpLeg", "{S}Leg", "{S}Foot", "{S}ToeBase")),
        extra=(("wrist", "{C}Thumb"),),
        metres_per_unit=0.0254 / 0.45,
    ),
    "asf": RigStyle(
        "asf",
        trunk_joints("root", "lowerback", "upperback", "thorax"),
        neck_joints("lowerneck", "upperneck", "head"),
        arm_joints("{s}clavicle", "{s}humerus", "{s}radius", "{s}wrist"),
        (("hip", "{s}femur"), ("knee", "{s}tibia"), ("ankle", "{s}foot"), ("toe", "{s}toes")),
        extra=(("wrist", "{s}thumb"),),
    ),
    "smpl": RigStyle(
        "smpl",
        trunk_joints("pelvis", "spine1", "spine2", "spine3"),
        neck_joints("neck", "head"),
        (*arm_joints("{l}_collar", "{l}_shoulder", "{l}_elbow", "{l}_wrist"), (None, "{l}_hand")),
        leg_joints("{l}_hip", "{l}_knee", "{l}_ankle", "{l}_foot"),
    ),
    "smpl fbx": RigStyle(
        "smpl",
        trunk_joints("m_avg_Pelvis", "m_avg_Spine1", "m_avg_Spine2", "m_avg_Spine3"),
        neck_joints("m_avg_Neck", "m_avg_Head"),
        (
            *arm_joints(
                "m_avg_{C}_Collar", "m_avg_{C}_Shoulder", "m_avg_{C}_Elbow", "m_avg_{C}_Wrist"
            ),
            (None, "m_avg_{C}_Hand"),
        ),
        leg_joints("m_avg_{C}_Hip", "m_avg_{C}_Knee", "m_avg_{C}_Ankle", "m_avg_{C}_Foot"),
        containers=("m_avg_root",),
        metres_per_unit=0.01,
    ),
    "smpl-x": RigStyle(
        "smpl-x",
        trunk_joints("pelvis", "spine1", "spine2", "spine3"),
        neck_joints("neck", "head"),
        arm_joints("{l}_collar", "{l}_shoulder", "{l}_elbow", "{l}_wrist"),
        leg_joints("{l}_hip", "{l}_knee", "{l}_ankle", "{l}_foot"),
        fingers="{l}_{f}{n}",
        extra=(("head", "jaw"), ("head", "{l}_eye_smplhf")),
    ),
    "rokoko": RigStyle(
        "rokoko",
        trunk_joints("Hips", "Spine1", "Spine2", "Spine3", "Spine4"),
        neck_joints("Neck", "Head"),
        arm_joints("{S}Shoulder", "{S}Arm", "{S}ForeArm", "{S}Hand"),
        leg_joints("{S}Thigh", "{S}Shin", "{S}Foot", "{S}Toe"),
        fingers="{S}Finger{d1}{P}",
        ends={"toe": "{S}ToeTip"},
        containers=("newton",),
    ),
    "rokoko mixamo": RigStyle(
        "rokoko",
        trunk_joints("Hips", "Spine", "Spine1", "Spine2"),
        neck_joints("Neck", "Head"),
        arm_joints("{S}Shoulder", "{S}Arm", "{S}ForeArm", "{S}Hand"),
        leg_joints("{S}UpLeg", "{S}Leg", "{S}Foot", "{S}ToeBase"),
        fingers="{S}Hand{F}{n}",
        metacarpals="{S}InHand{F}",
        metres_per_unit=0.01,
    ),
    "xsens": RigStyle(
        "xsens",
        trunk_joints("Pelvis", "L5", "L3", "T12", "T8"),
        neck_joints("Neck", "Head"),
        arm_joints("{S} Shoulder", "{S} Upper Arm", "{S} Forearm", "{S} Hand"),
        leg_joints("{S} Upper Leg", "{S} Lower Leg", "{S} Foot", "{S} Toe"),
        z_up=True,
    ),
    "xsens bvh": RigStyle(
        "xsens",
        trunk_joints("Hips", "Chest", "Chest2", "Chest3", "Chest4"),
        neck_joints("Neck", "Head"),
        arm_joints("{S}Collar", "{S}Shoulder", "{S}Elbow", "{S}Wrist"),
        leg_joints("{S}Hip", "{S}Knee", "{S}Ankle", "{S}Toe"),
        metres_per_unit=0.01,
    ),
}
