"""Pose a character beside a chair: a hand that is dragged into the back rest stays outside it."""

import numpy as np

import writhe
from writhe.scene import SceneObject
from writhe.scene.objects import built_in

FPS = 60
human = writhe.figure("human")
shapes, strands = built_in("chair")
chair = SceneObject("chair", shapes, position_m=np.array([0.15, 0.0, 0.65]), strands=strands)
scene = writhe.Scene((writhe.Actor("ann", human),), (chair,))

poser = writhe.make_poser("default", scene, actor="ann", controls=writhe.Controls.standing())
q = human.skeleton.rest_configuration
feet = [writhe.pin_here(human.skeleton, q, f"{side}_ankle") for side in ("left", "right")]
frames = [q]
for height_m in np.linspace(1.2, 0.75, 60):  # down into the back rest
    result = poser.step(frames[-1], [writhe.Target("left_wrist", (0.15, height_m, 0.45))], feet)
    frames.append(result.q)

clip = writhe.Motion(human.skeleton, np.array(frames), FPS)
certificate = writhe.certify(scene, scene.layout.motion({"ann": clip}))
writhe.save(clip, "chair.bvh")
wrist = clip.frames().position("left_wrist")[-1]
off_m = np.linalg.norm(wrist - [0.15, 0.75, 0.45])
print(f"the wrist stops {100 * off_m:.0f} cm from its target inside the back rest")
print(f"certified with the chair: {certificate.certified}")
