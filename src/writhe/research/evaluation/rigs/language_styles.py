"""Rigs with names in other languages than English, or with a character's name in every name."""

from __future__ import annotations

from writhe.research.evaluation.rigs.rig_style import (
    RigStyle,
    arm_joints,
    leg_joints,
    neck_joints,
    trunk_joints,
)

LANGUAGE_STYLES: dict[str, RigStyle] = {
    "german": RigStyle(
        "unknown",
        trunk_joints("Becken", "Wirbelsäule1", "Wirbelsäule2", "Brust"),
        neck_joints("Hals", "Kopf"),
        arm_joints("Schlüsselbein_{G}", "Oberarm_{G}", "Unterarm_{G}", "Hand_{G}"),
        leg_joints("Oberschenkel_{G}", "Unterschenkel_{G}", "Fuß_{G}", "Zehen_{G}"),
        fingers="{F}_{n}_{G}",
        finger_names=("Daumen", "Zeigefinger", "Mittelfinger", "Ringfinger", "KleinerFinger"),
        containers=("Wurzel",),
        z_up=True,
        metres_per_unit=0.01,
    ),
    "spanish sides": RigStyle(
        "unknown",
        trunk_joints("Caderas", "Columna", "Torso", "Pecho"),
        neck_joints("Cuello", "Cabeza"),
        arm_joints("Hombro{E}", "Brazo{E}", "Antebrazo{E}", "Mano{E}"),
        leg_joints("Muslo{E}", "Pantorrilla{E}", "Pie{E}", "Punta{E}"),
        fingers="{F}{n}{E}",
        finger_names=("Pulgar", "Indice", "Medio", "Anular", "Menique"),
        arms_down_deg=45.0,
    ),
    "korean": RigStyle(
        "unknown",
        trunk_joints("골반", "척추", "가슴"),
        neck_joints("목", "머리"),
        arm_joints("{K}쇄골", "{K}위팔", "{K}아래팔", "{K}손"),
        leg_joints("{K}허벅지", "{K}종아리", "{K}발", "{K}발가락"),
        extra=(("hips", "{K}치마"),),
    ),
    "russian": RigStyle(
        "unknown",
        trunk_joints("Таз", "Позвоночник", "Грудь"),
        neck_joints("Шея", "Голова"),
        arm_joints("Ключица_{R}", "Плечо_{R}", "Предплечье_{R}", "Кисть_{R}"),
        leg_joints("Бедро_{R}", "Голень_{R}", "Стопа_{R}", "Носок_{R}"),
        bone_axis="x",
    ),
    "mmd with helpers": RigStyle(
        "mmd",
        trunk_joints("グルーブ", "上半身", "上半身2"),
        neck_joints("首", "頭"),
        (
            (None, "{J}肩P"),
            ("clavicle", "{J}肩"),
            (None, "{J}肩C"),
            ("shoulder", "{J}腕"),
            (None, "{J}腕捩"),
            ("elbow", "{J}ひじ"),
            (None, "{J}手捩"),
            ("wrist", "{J}手首"),
        ),
        ((None, "下半身"), *leg_joints("{J}足", "{J}ひざ", "{J}足首", "{J}足先EX")),
        fingers="{J}{F}{n}",
        finger_names=("親指", "人指", "中指", "薬指", "小指"),
        containers=("全ての親", "センター"),
        extra=(("head", "{J}目"), ("hips", "{J}スカート")),
        arms_down_deg=35.0,
        metres_per_unit=0.08,
        facing_back=True,
    ),
    "named hero": RigStyle(
        "unknown",
        trunk_joints("Hero_Rig_Pelvis_JNT", "Hero_Rig_SpineLow_JNT", "Hero_Rig_SpineHigh_JNT"),
        neck_joints("Hero_Rig_NeckA_JNT", "Hero_Rig_NeckB_JNT", "Hero_Rig_Head_JNT"),
        arm_joints(
            "Hero_Rig_{C}_Collar_JNT",
            "Hero_Rig_{C}_UpArm_JNT",
            "Hero_Rig_{C}_LoArm_JNT",
            "Hero_Rig_{C}_Palm_JNT",
        ),
        leg_joints(
            "Hero_Rig_{C}_UpLeg_JNT",
            "Hero_Rig_{C}_LoLeg_JNT",
            "Hero_Rig_{C}_Foot_JNT",
            "Hero_Rig_{C}_Toe_JNT",
        ),
    ),
    "no clavicles": RigStyle(
        "unknown",
        trunk_joints("pelvis", "spineA", "spineB", "spineC"),
        neck_joints("neckA", "neckB", "skull"),
        (("shoulder", "{s}_uparm"), ("elbow", "{s}_loarm"), ("wrist", "{s}_hand")),
        leg_joints("{s}_upleg", "{s}_loleg", "{s}_foot", "{s}_toe"),
    ),
}
