"""Find a certified path between two postures that cannot be blended: arms folded either way."""

import writhe
from writhe.skeleton.mirror import mirrored

human = writhe.figure("human")
database = writhe.builtin_database("basic")
start = database.q[database.clip.index("arms folded")]
goal = mirrored(human.skeleton, start)

found = writhe.plan(human, start, goal)
print(f"{found.status.value}, certified: {found.certificate.certified}")
motion = writhe.to_motion(found, writhe.Timing(fps=30))
certificate = writhe.certify(human, motion)
writhe.save(motion, "plan.bvh")
print(f"a motion of {motion.duration_s:.1f} s, certified: {certificate.certified}")
