"""Transfer a motion to a figure with other proportions; planted feet stay planted.

python retarget_a_motion.py [clip.bvh]: without a file, a built-in movement is used.
"""

import sys
from dataclasses import replace

import numpy as np

import writhe
from writhe.postures.synthetic_clips import builtin_movements

human = writhe.figure("human")
motion = writhe.load(sys.argv[1]) if len(sys.argv) > 1 else builtin_movements()["throw"][0]

# A figure of the same joints, a fifth smaller, with its own collision capsules.
joints = [
    replace(joint, offset_in_parent=0.8 * np.asarray(joint.offset_in_parent))
    for joint in human.skeleton.joints
]
child = writhe.figure_of(writhe.Skeleton(joints), name="child")

moved = writhe.retarget(motion, child)
writhe.save(moved, "child.bvh")
before, after = motion.frames(), moved.frames()
print(f"{motion.name}: {len(moved)} frames at {moved.fps:g} a second")
for name, frames in (("human", before), ("child", after)):
    foot = frames.position("left_ankle")
    print(
        f"{name}: ankle {foot[:, 1].min():.2f} m, head {frames.position('head')[0, 1]:.2f} m high"
    )
