"""Wind two arms around each other to a given linking (topology coordinates), without crossing."""

import writhe
from writhe.solvers.tangling import Tangle, TangleStepper, solve
from writhe.terms import joint_limits, pin
from writhe.topology import Strand

human = writhe.figure("human")
skeleton = human.skeleton
q = skeleton.rest_configuration
left = Strand.between(skeleton, "left_shoulder", "left_hand_tip")
right = Strand.between(skeleton, "right_shoulder", "right_hand_tip")

table = writhe.CollisionTable.of_figure(human)
feet = [term for side in ("left", "right") for term in pin(skeleton, f"{side}_ankle", q)]
stepper = TangleStepper(table, [Tangle(left, right, writhe=0.4)], [*feet, *joint_limits(skeleton)])
result = solve(stepper, q)

certificate = writhe.certify(human, result.path, fps=60)
print(f"reached: {result.reached} after {len(result.path) - 1} steps")
print(f"certified: {certificate.certified}")
writhe.save(writhe.Motion(skeleton, result.path, fps=60, name="tangle"), "tangle.bvh")
