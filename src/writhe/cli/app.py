"""The `writhe` command: registers the subcommands and turns errors into messages.

A command is a module here with a function of the same name, or with a Typer called `app` when it
has subcommands; an `EPILOG` ends its help. Only the one that is called is imported, so that
`writhe --help` stays quick.
"""

from __future__ import annotations

import importlib
import sys

import typer

from writhe import __version__
from writhe.errors import WritheError

# name: the line that `writhe --help` shows
COMMANDS = {
    "studio": "Pose and animate in the browser, with mouse or fingers.",
    "info": "Tell what a motion file holds.",
    "convert": "Convert a motion between file formats.",
    "retarget": "Carry a motion over to another body.",
    "measure": "Measure how a clip's limbs are linked over time.",
    "certify": "Find where body parts pass through each other or through things.",
    "clean": "Push the penetrations out of a clip.",
    "plan": "Join two postures by a motion without penetration.",
    "learn": "Learn joint limits and damping from clips, for whole trajectories.",
    "db": "Build, inspect, merge and query posture databases.",
    "render": "Make a picture, a film strip or a film.",
    "reproduce": "Run a paper's experiments and compare with its figures.",
    "tune": "Tune a posing method by leaving postures out and making them again.",
    "scene": "Make scene files from meshes, with strands proposed along their outline.",
    "bench": "Measure speed and quality here, beside other methods and software.",
    "warmup": "Compile the kernels now, so that nothing has to wait later.",
}

# name: the stages of `writhe.warmup` that it needs, compiled the first time
NEEDS = {
    "retarget": ("kinematics", "motion files"),
    "measure": ("kinematics", "motion files", "linking"),
    "certify": ("kinematics", "motion files", "collision"),
    "clean": ("kinematics", "motion files", "collision"),
    "plan": ("kinematics", "motion files", "collision", "planning"),
    "db": ("kinematics", "motion files", "linking", "collision"),
    "learn": ("kinematics", "motion files", "trajectories"),
    "render": ("kinematics", "motion files", "collision", "skins"),
}


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"writhe {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Pose characters and create motion without body parts passing through each other."""


def _not_loaded() -> None:
    """Stands for a command that was not asked for."""


def build_app(wanted: str | None) -> typer.Typer:
    """The command line with `wanted` imported and the other commands named only."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name, line in COMMANDS.items():
        if name != wanted:
            app.command(name, help=line)(_not_loaded)
            continue
        module = importlib.import_module(f"writhe.cli.{name}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name, help=line)
        else:
            app.command(name, epilog=getattr(module, "EPILOG", None))(getattr(module, name))
    return app


def run(arguments: list[str] | None = None) -> None:
    """Run the command line; what is wrong becomes one line on standard error, exit code 2."""
    given = sys.argv[1:] if arguments is None else arguments
    wanted = next((word for word in given if not word.startswith("-")), None)
    try:
        if wanted in NEEDS and not {"-h", "--help"} & set(given):
            from writhe.cli.warmup import ensure_warm

            ensure_warm(*NEEDS[wanted])
        build_app(wanted)(args=given, prog_name="writhe")
    except (WritheError, OSError) as error:
        typer.echo(f"writhe: {error}", err=True)
        sys.exit(2)
