"""Write a cleaned motion such that the file is certified as its readers interpolate it."""

from __future__ import annotations

from pathlib import Path

from writhe.cleaning.file_interpolations import DENSER
from writhe.collision import Certificate
from writhe.io import save
from writhe.scene import certify_file
from writhe.skeleton import Figure, Motion


def write_certified(
    motion: Motion, path: Path, *, figure: Figure | None = None
) -> tuple[Motion, Certificate]:
    """Write a .bvh or .glb file; returns the motion as written and the certificate of the file.

    A .bvh stores Euler angles at one frame rate, which readers interpolate linearly. Where this
    collides between frames although the motion does not, the file gets 2, 4 or 8 times as many
    frames. If none of these is certified, the last one is kept.

    figure: the body whose shapes are certified; one that was read from a file is written to glTF
        with everything in it, while the built-in ones are written as bones.
    """
    own = figure if figure is not None and figure.source is not None else None
    save(motion, path, figure=own)
    written, certificate = motion, certify_file(path, figure=figure).certificate
    for times in DENSER:
        if certificate.certified or certificate.interpolation == "slerp":
            break
        written = motion.resample(times * motion.fps)
        save(written, path, figure=own)
        certificate = certify_file(path, figure=figure).certificate
    return written, certificate
