"""The types of the names that `writhe` loads when they are first used.

The names and modules are those of the table in `__init__.py`; a test compares the two.
"""

from writhe.animation import AnimateOptions as AnimateOptions
from writhe.animation import Animation as Animation
from writhe.animation import Carry as Carry
from writhe.animation import Key as Key
from writhe.animation import TimedPin as TimedPin
from writhe.animation import animate as animate
from writhe.animation import animate_carrying as animate_carrying
from writhe.animation import detect_contacts as detect_contacts
from writhe.animation import load_keys as load_keys
from writhe.cleaning.clean import clean as clean
from writhe.collision import Certificate as Certificate
from writhe.collision import CollisionTable as CollisionTable
from writhe.collision import certify as certify
from writhe.database import PairDatabase as PairDatabase
from writhe.database import PostureDatabase as PostureDatabase
from writhe.errors import WritheError as WritheError
from writhe.hands import Grip as Grip
from writhe.hands import clasp as clasp
from writhe.hands import grip as grip
from writhe.hands import grip_with_both as grip_with_both
from writhe.hands import hand_pose as hand_pose
from writhe.hands import hold_on as hold_on
from writhe.hands import hold_state as hold_state
from writhe.hands import lift as lift
from writhe.hands import stand_before as stand_before
from writhe.hands import stand_opposite as stand_opposite
from writhe.io import figure_of as figure_of
from writhe.io import load as load
from writhe.io import load_figure as load_figure
from writhe.io import save as save
from writhe.io import save_figure as save_figure
from writhe.io.characters import save_characters as save_characters
from writhe.planning import Plan as Plan
from writhe.planning import Timing as Timing
from writhe.planning import plan as plan
from writhe.planning import to_motion as to_motion
from writhe.postures.builtin import builtin_database as builtin_database
from writhe.postures.pairs import builtin_pairs as builtin_pairs
from writhe.progress import Progress as Progress
from writhe.recognition import Recognition as Recognition
from writhe.recognition import recognise as recognise
from writhe.render import film_strip as film_strip
from writhe.render import render_pose as render_pose
from writhe.retargeting.retarget import retarget as retarget
from writhe.scene import Actor as Actor
from writhe.scene import Scene as Scene
from writhe.scene import certify_file as certify_file
from writhe.skeleton import Figure as Figure
from writhe.skeleton import Motion as Motion
from writhe.skeleton import Skeleton as Skeleton
from writhe.skeleton import forward as forward
from writhe.skeleton.figures import figure as figure
from writhe.solvers.partners import PartnerReaction as PartnerReaction
from writhe.solvers.partners import PosedPair as PosedPair
from writhe.solvers.posing import Controls as Controls
from writhe.solvers.posing import Hold as Hold
from writhe.solvers.posing import Pin as Pin
from writhe.solvers.posing import Poser as Poser
from writhe.solvers.posing import PoseResult as PoseResult
from writhe.solvers.posing import Target as Target
from writhe.solvers.posing import hold_here as hold_here
from writhe.solvers.posing import make_poser as make_poser
from writhe.solvers.posing import pin_here as pin_here
from writhe.topology import linking_vector as linking_vector

__version__: str
