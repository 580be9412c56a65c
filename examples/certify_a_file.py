"""Read a motion file and list where limbs pass through each other, also between its frames.

python certify_a_file.py [clip.bvh]: without a file, a faulty one is written first, in which
folded arms are blended with their mirror image.
"""

import sys

import numpy as np

import writhe
from writhe.skeleton.mirror import mirrored


def write_faulty_clip() -> str:
    """A clip in which the forearms pass through each other."""
    human, database = writhe.figure("human"), writhe.builtin_database("basic")
    folded = database.q[database.clip.index("arms folded")]
    ends = np.array([folded, mirrored(human.skeleton, folded)])
    writhe.save(writhe.Motion(human.skeleton, ends, fps=1).resample(30), "faulty.bvh")
    return "faulty.bvh"


motion = writhe.load(sys.argv[1] if len(sys.argv) > 1 else write_faulty_clip())
certificate = writhe.certify(writhe.figure_of(motion, partial=True), motion)
print(f"{motion.name}: {len(motion)} frames, certified: {certificate.certified}")
for event in certificate.pass_throughs[:5]:
    print(f"{event.time_s:.2f} s: {event.a} through {event.b}, {1000 * event.depth_m:.0f} mm deep")
