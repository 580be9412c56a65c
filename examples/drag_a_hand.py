"""Drag a hand across the body; the arm goes around the chest, and the motion is certified."""

import numpy as np

import writhe

FPS = 60
human = writhe.figure("human")
poser = writhe.make_poser("default", human, controls=writhe.Controls.standing())
q = human.skeleton.rest_configuration
feet = [writhe.pin_here(human.skeleton, q, f"{side}_ankle") for side in ("left", "right")]

# Move the target of the left hand to the front of the right shoulder in one second, then wait.
start = writhe.forward(human.skeleton, q).position("left_wrist")
goal = np.array([-0.15, 1.35, 0.30])
frames = [q]
for share in np.minimum(np.arange(1, 91) / FPS, 1.0):
    x, y, z = start + share * (goal - start)
    result = poser.step(frames[-1], [writhe.Target("left_wrist", (x, y, z))], feet)
    frames.append(result.q)

motion = writhe.Motion(human.skeleton, np.array(frames), FPS, "drag")
wrist = motion.frames().position("left_wrist")[-1]
certificate = writhe.certify(human, motion)
writhe.save(motion, "drag.bvh")
print(f"the hand is {1000 * np.linalg.norm(wrist - goal):.0f} mm from its target")
print(f"certified: {certificate.certified}, {len(certificate.pass_throughs)} pass-throughs")
