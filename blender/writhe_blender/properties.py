"""What is stored in the .blend file: roles, pins, obstacles, settings, the last certificate."""

from __future__ import annotations

import bpy

PINS = (
    ("FREE", "Free", "The bone follows what is dragged"),
    ("POSITION", "Position", "The bone stays where it is and may turn"),
    ("FULL", "Position and rotation", "The bone stays where it is and does not turn"),
)


def _redraw(self, context) -> None:
    for area in context.screen.areas if context.screen else ():
        if area.type == "VIEW_3D":
            area.tag_redraw()


def _correct(self, context) -> None:
    self.corrected = True


class WritheRole(bpy.types.PropertyGroup):
    """The bone of an anatomical role."""

    role: bpy.props.StringProperty()
    bone: bpy.props.StringProperty(name="Bone", update=_correct)
    corrected: bpy.props.BoolProperty(description="Set by hand; it is not found again")


class WritheShape(bpy.types.PropertyGroup):
    """A correction of the collision shapes of a bone."""

    bone: bpy.props.StringProperty(name="Bone")
    factor: bpy.props.FloatProperty(
        name="Radius", description="Factor of the radius; 0 removes the shapes of the bone",
        default=1.0, min=0.0, max=5.0, soft_min=0.2, soft_max=2.0,
    )  # fmt: skip


class WritheMark(bpy.types.PropertyGroup):
    """A moment at which parts overlap."""

    frame: bpy.props.FloatProperty()
    first: bpy.props.FloatProperty()
    last: bpy.props.FloatProperty()
    a: bpy.props.StringProperty()
    b: bpy.props.StringProperty()
    depth_m: bpy.props.FloatProperty()
    pass_through: bpy.props.BoolProperty()


class WritheObject(bpy.types.PropertyGroup):
    """Of an armature: whether it is a character; of a mesh: whether it is solid."""

    is_character: bpy.props.BoolProperty()
    summary: bpy.props.StringProperty()
    fitted: bpy.props.StringProperty(
        description="The collision shapes, and what they were fitted to"
    )
    warning: bpy.props.StringProperty()
    rig: bpy.props.StringProperty(description="The controls of a control rig, as text")
    roles: bpy.props.CollectionProperty(type=WritheRole)
    shapes: bpy.props.CollectionProperty(type=WritheShape)
    document_id: bpy.props.IntProperty(
        description="The actor or object of the studio's document that this is; 0 for none"
    )
    document_mesh: bpy.props.StringProperty(description="A digest of the mesh in the document")
    is_obstacle: bpy.props.BoolProperty(
        name="Obstacle", description="Characters may not pass through this object"
    )
    split: bpy.props.BoolProperty(
        name="Split into Convex Pieces",
        description="Follow a closed mesh that is not convex by several pieces, instead of its"
        " convex hull",
    )


LIMBS = (
    ("left_arm", "Left Arm", ""),
    ("right_arm", "Right Arm", ""),
    ("left_leg", "Left Leg", ""),
    ("right_leg", "Right Leg", ""),
    ("torso", "Torso", ""),
)


ENDS = (
    ("right_arm", "Right Hand", ""),
    ("left_arm", "Left Hand", ""),
    ("right_leg", "Right Foot", ""),
    ("left_leg", "Left Foot", ""),
)
STYLES = tuple(
    (name, name.capitalize(), "") for name in ("move", "expressive", "throw", "swing", "golf")
)


def _is_curve(self, item) -> bool:
    return item.type == "CURVE"


def _is_character(self, item) -> bool:
    return item.type == "ARMATURE" and item.writhe.is_character


class WritheTangle(bpy.types.PropertyGroup):
    """Two limbs, how they shall be wound, and, of a key, at which frame."""

    frame: bpy.props.IntProperty()
    first: bpy.props.PointerProperty(type=bpy.types.Object, poll=_is_character)
    second: bpy.props.PointerProperty(type=bpy.types.Object, poll=_is_character)
    first_limb: bpy.props.EnumProperty(items=LIMBS, default="left_arm")
    second_limb: bpy.props.EnumProperty(items=LIMBS, default="right_arm")
    writhe: bpy.props.FloatProperty(
        name="Writhe", min=-2.0, max=2.0, soft_min=-1.0, soft_max=1.0, precision=2,
        description="How often the limbs wind around each other; the sign is the direction",
    )  # fmt: skip
    use_centre: bpy.props.BoolProperty(name="Place", description="Where along the limbs they wind")
    centre_first: bpy.props.FloatProperty(name="First", min=-1.0, max=1.0)
    centre_second: bpy.props.FloatProperty(name="Second", min=-1.0, max=1.0)
    use_density: bpy.props.BoolProperty(
        name="Density", description="Which of the limbs bends around the other"
    )
    density: bpy.props.FloatProperty(name="Density", min=-1.6, max=1.6)
    movers: bpy.props.EnumProperty(
        name="Moves", items=(("BOTH", "Both", ""), ("FIRST", "First", ""), ("SECOND", "Second", ""))
    )
    live: bpy.props.BoolProperty()
    stalled: bpy.props.BoolProperty()
    measured: bpy.props.FloatProperty()


class WritheScene(bpy.types.PropertyGroup):
    """Settings, and the result of the last certificate."""

    keep_feet: bpy.props.BoolProperty(
        name="Keep Supports", default=True,
        description="Without pins of your own, feet, knees and hands on the floor stay there",
    )  # fmt: skip
    balance: bpy.props.BoolProperty(
        name="Balance", default=True, description="Keep the centre of mass over the feet"
    )
    natural: bpy.props.BoolProperty(
        name="Natural", default=True, description="Follow the built-in postures of people"
    )
    floor: bpy.props.BoolProperty(
        name="Floor", default=True, description="A floor at height 0 that drags do not pass"
    )
    certify_floor: bpy.props.BoolProperty(
        name="Include the Floor", description="Parts below height 0 count as overlaps"
    )
    show_shapes: bpy.props.BoolProperty(
        name="Collision Shapes", description="Show the shapes that stand for the body",
        update=_redraw,
    )  # fmt: skip
    show_colliding: bpy.props.BoolProperty(
        name="Colliding Parts", default=True,
        description="Show the parts that overlap at the present frame",
        update=_redraw,
    )  # fmt: skip
    preset: bpy.props.StringProperty(name="Pose", default="stand")
    curve: bpy.props.PointerProperty(name="Curve", type=bpy.types.Object, poll=_is_curve)
    curve_limb: bpy.props.EnumProperty(name="Limb", items=ENDS)
    curve_style: bpy.props.EnumProperty(
        name="Style", items=STYLES, description="The movements from which the style was learnt"
    )
    curve_frames: bpy.props.IntProperty(
        name="Frames", default=48, min=5, max=1000,
        description="How long the curve takes, from the present frame on",
    )  # fmt: skip
    document: bpy.props.StringProperty(description="The studio's document of this scene, as text")
    document_created: bpy.props.StringProperty(description="What identifies that document")
    document_fps: bpy.props.FloatProperty(default=24.0)
    document_first: bpy.props.IntProperty(default=1, description="The frame of its beginning")
    tangle: bpy.props.PointerProperty(type=WritheTangle)
    tangle_keys: bpy.props.CollectionProperty(type=WritheTangle)
    verdict: bpy.props.StringProperty()
    sentence: bpy.props.StringProperty()
    note: bpy.props.StringProperty()
    marks: bpy.props.CollectionProperty(type=WritheMark)
    working: bpy.props.StringProperty()
    progress: bpy.props.FloatProperty(subtype="PERCENTAGE", min=0.0, max=100.0)


CLASSES = (WritheRole, WritheShape, WritheMark, WritheObject, WritheTangle, WritheScene)


def register() -> None:
    """Add the properties to Blender's types."""
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Object.writhe = bpy.props.PointerProperty(type=WritheObject)
    bpy.types.Scene.writhe = bpy.props.PointerProperty(type=WritheScene)
    bpy.types.PoseBone.writhe_pin = bpy.props.EnumProperty(
        items=PINS, name="Pin", description="How a bone stays in place while others are dragged"
    )


def unregister() -> None:
    """Remove them."""
    del bpy.types.PoseBone.writhe_pin, bpy.types.Scene.writhe, bpy.types.Object.writhe
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
