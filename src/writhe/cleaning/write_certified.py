"""Write a cleaned motion such that the file is certified as its readers interpolate it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from writhe.cleaning.file_interpolations import DENSER
from writhe.collision import Certificate
from writhe.io import save
from writhe.io.bvh.rotation_orders import steady_orders
from writhe.scene import certify_file
from writhe.skeleton import Figure, Motion


def write_certified(
    motion: Motion, path: Path, *, figure: Figure | None = None
) -> tuple[Motion, Certificate]:
    """Write a .bvh or .glb file; returns the motion as written and the certificate of the file.

    A .bvh stores Euler angles at one frame rate, which readers interpolate linearly. Where this
    collides between frames although the motion does not, joints near gimbal lock are written with
    another order of rotations; if that is not enough, with 2, 4 or 8 times as many frames. A file
    that none of these certifies keeps its frames and its orders.

    figure: the body whose shapes are certified; one that was read from a file is written to glTF
        with everything in it, while the built-in ones are written as bones.
    """
    own = figure if figure is not None and figure.source is not None else None

    def write(one: Motion, orders: Mapping[str, str] | None = None) -> Certificate:
        save(one, path, figure=own, rotation_orders=orders)
        return certify_file(path, figure=figure).certificate

    certificate = write(motion)
    if certificate.certified or certificate.interpolation == "slerp":
        return motion, certificate
    if not certify_file(path, figure=figure, interpolation="slerp").certificate.certified:
        return motion, certificate
    for times in (1, *DENSER):
        dense = motion if times == 1 else motion.resample(times * motion.fps)
        found = write(dense, steady_orders(dense))
        if found.certified:
            return dense, found
    write(motion)
    return motion, certificate
