"""Remove the penetrations of a clip: arms that were blended through each other go around.

python clean_a_clip.py [clip.bvh]: a file is retargeted to the built-in human first. Without
one, folded arms are blended with their mirror image.
"""

import sys

import numpy as np

import writhe
from writhe.skeleton.mirror import mirrored

human = writhe.figure("human")
if len(sys.argv) > 1:
    motion = writhe.retarget(writhe.load(sys.argv[1]), human)
else:
    database = writhe.builtin_database("basic")
    folded = database.q[database.clip.index("arms folded")]
    ends = np.array([folded, mirrored(human.skeleton, folded)])
    motion = writhe.Motion(human.skeleton, ends, fps=1, name="folded arms").resample(30)

cleaned = writhe.clean(human, motion)
writhe.save(cleaned.motion, "clean.bvh")
for name, found in (("before", cleaned.before), ("after", cleaned.after)):
    depth_mm = 1000 * found.penetration_upper_bound_m
    passes = len(found.pass_throughs)
    print(f"{name}: certified {found.certified}, {passes} pass-throughs, {depth_mm:.0f} mm deep")
print(f"joints moved by {1000 * cleaned.mean_displacement_m:.0f} mm on average")
