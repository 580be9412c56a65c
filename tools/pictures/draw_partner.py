#!/usr/bin/env python
"""Draw a partner who reacts: `draw_partner.py docs/images/partner-reacts.png`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import writhe
from writhe.arrays import vector3
from writhe.render.scenes import strip_image
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.move_root import moved_roots

HAND = "right_wrist"
PLACES = ((-0.02, 1.05, 0.4), (0.0, 1.55, 0.42))  # of the leader's hand, one picture each
APART = np.array([0.0, 0.0, 0.95])
FRAMES, MOVING = 45, 30


def main() -> None:
    human, postures = writhe.figure("human"), writhe.builtin_database()
    skeleton = human.skeleton
    leader = postures.q[postures.clip.index("stand")]
    partner = moved_roots(skeleton, leader[None], np.diag([-1.0, 1.0, -1.0]), APART)[0]
    feet = [writhe.pin_here(skeleton, leader, ankle, orientation=True) for ankle in ANKLES]
    pair = writhe.PosedPair(human, human, writhe.builtin_pairs(), postures)
    shown = [pair.together(leader, partner)]
    for place in PLACES:
        start = writhe.forward(skeleton, leader).position(HAND).copy()
        for k in range(FRAMES):
            at = start + min(1.0, (k + 1) / MOVING) * (np.array(place) - start)
            found = pair.step(leader, partner, [writhe.Target(HAND, vector3(at))], feet)
            leader, partner = (one.q for one in found)
        shown.append(pair.together(leader, partner))
    tiles = [
        strip_image(pair.scene, q[None], frames=[0], size=(420, 460), view=(1.0, 0.25, 0.3))
        for q in shown
    ]
    Image.fromarray(np.concatenate(tiles, axis=1)).save(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
