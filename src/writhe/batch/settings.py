"""What a batch does with each file."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from writhe import __version__
from writhe.collision.certificate_slack import SLACK_M
from writhe.errors import WritheError
from writhe.user_folders import settings_folder

_REMEMBERED = ("bodies", "roles")  # folders of settings that change the shapes of a character
BROAD_PHASES = ("numba", "jax")


@dataclass(frozen=True)
class Settings:
    """The operation and its options; equal settings on equal files give equal results.

    figures, roles: (pattern, value) pairs; a file gets the value of the first pattern that matches
    its name. A figure is the name of a built-in one or a character file.
    tolerance_m: penetration up to which a clip passes. Recorded motion that was not cleaned is
    rarely below 20 mm.
    broad_phase: "jax" proves intervals clear on the accelerator that JAX finds before the exact
    sweep of `certify`; verdicts are the same as with "numba".
    """

    operation: str
    suffix: str | None = None  # of the files that are written; by default that of the source
    to: str = "human"  # retarget: the figure or character file
    fps: float | None = None  # convert: resample to this rate
    every: int = 5  # db: sample every n-th frame
    strip: int = 8  # render: frames side by side
    figures: tuple[tuple[str, str], ...] = ()
    roles: tuple[tuple[str, str], ...] = ()
    tolerance_m: float = SLACK_M
    broad_phase: str = "numba"

    def __post_init__(self) -> None:
        if self.broad_phase not in BROAD_PHASES:
            names = " or ".join(BROAD_PHASES)
            raise WritheError(f"the broad phase must be {names}, not {self.broad_phase!r}")
        if not 0 <= self.tolerance_m < 10:
            raise WritheError(f"the tolerance must be from 0 to 10 m, not {self.tolerance_m}")

    def figure_for(self, name: str) -> str | None:
        """The figure of the file called `name`; None: that of the file itself."""
        return _first_match(self.figures, name)

    def roles_for(self, name: str) -> str | None:
        """The file with the roles of the joints of the file called `name`, if any."""
        return _first_match(self.roles, name)

    @property
    def digest(self) -> str:
        """A hash of the settings and of writhe's version, to recognise finished work.

        Character and role files count by their content, and so do the roles and bodies that are
        remembered for skeletons. The broad phase does not change results.
        """
        options = asdict(replace(self, broad_phase="numba"))
        named = [value for _, value in (*self.figures, *self.roles)] + [self.to]
        files = {name: content_hash(Path(name)) for name in named if Path(name).is_file()}
        remembered = [f for part in _REMEMBERED for f in settings_folder(part).glob("*.json")]
        files |= {f"{f.parent.name}/{f.name}": content_hash(f) for f in remembered}
        summary = json.dumps([__version__, options, files], sort_keys=True)
        return hashlib.blake2b(summary.encode(), digest_size=12).hexdigest()


def content_hash(path: Path) -> str:
    """A hash of the bytes of a file, and of the files that are read with it."""
    from writhe.io.attached_files import attached_files

    digests: list[str] = []
    for each in (path, *attached_files(path)):
        with each.open("rb") as file:
            found = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
        digests.append(found.hexdigest())
    if len(digests) == 1:
        return digests[0]
    return hashlib.blake2b(" ".join(digests).encode(), digest_size=16).hexdigest()


def parse_patterns(given: list[str], option: str) -> tuple[tuple[str, str], ...]:
    """`PATTERN=VALUE` or `VALUE` (for all files), as pairs."""
    pairs: list[tuple[str, str]] = []
    for text in given:
        pattern, equals, value = text.rpartition("=")
        if not value:
            raise WritheError(f"{option} takes PATTERN=VALUE or VALUE, not {text!r}")
        pairs.append((pattern if equals else "*", value))
    return tuple(pairs)


def _first_match(pairs: tuple[tuple[str, str], ...], name: str) -> str | None:
    file = PurePosixPath(name).name
    return next((v for p, v in pairs if fnmatch(name, p) or fnmatch(file, p)), None)
