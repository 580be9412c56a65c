"""Learn how an arm moves from clips, and let the hand follow a drawn path in that style."""

import numpy as np

import writhe
from writhe.solvers.trajectory import Chain
from writhe.styles.follow_paths import follow, smooth_path
from writhe.styles.learn_styles import learn_builtin

FPS = 30.0
human = writhe.figure("human")
arm = Chain.named(human, "right_arm")
styles = learn_builtin(arm)  # of your own clips: styles.learn_styles.learn_folder

waypoints = np.array([[-0.5, 1.0, 0.3], [-0.3, 1.3, 0.5], [-0.2, 1.5, 0.4]])  # metres, world
path = smooth_path(waypoints, frames=60)
style = styles.blend({"throw": 0.7, "move": 0.3})
done = follow(arm, style, path, FPS, human.skeleton.rest_configuration)

wrist = done.motion.frames().position("right_wrist")
writhe.save(done.motion, "path.bvh")
print(f"{done.trajectory.status}: {len(done.motion)} frames")
print(f"certified: {done.certificate.certified}")
print(f"the wrist travels {np.linalg.norm(np.diff(wrist, axis=0), axis=1).sum():.2f} m")
