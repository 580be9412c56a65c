"""The `writhe` command: registers the subcommands and turns errors into messages.

A command is a module in `commands/` with a function of the same name, or with a Typer called `app`
if it has subcommands; an `EPILOG` is appended to its help. Only the command that is called is
imported, so that `writhe --help` is fast.
"""

from __future__ import annotations

import importlib
import sys

import typer

from writhe import __version__
from writhe.cli.roles_option import with_roles_option
from writhe.errors import WritheError

# name: its line in `writhe --help`
COMMANDS = {
    "studio": "Pose and animate in the browser, with mouse or touch.",
    "serve": "Start a server that computes for the Blender extension.",
    "info": "Show the contents of a motion file.",
    "roles": "Show and correct which joint of a character has which role.",
    "character": "Show roles, limits and collision shapes of a character; draw them.",
    "convert": "Convert a motion between file formats.",
    "retarget": "Retarget a motion to another skeleton.",
    "measure": "Measure the linking of a clip's limbs over time.",
    "certify": "Check a motion for penetration and pass-throughs, between frames too.",
    "clean": "Remove penetrations from a clip.",
    "batch": "Certify, clean, retarget or convert whole folders, on all cores or a cluster.",
    "plan": "Plan a motion between two postures without penetration.",
    "refine": "Time and smooth a segment of a motion as a whole, and certify it again.",
    "animate": "Turn keys and pins into a motion without penetration.",
    "learn": "Learn styles of movement from clips, for drawn paths in the studio.",
    "db": "Build, inspect, merge and query posture databases.",
    "render": "Render a picture, a film strip or a movie.",
    "reproduce": "Run a paper's experiments and compare with its figures.",
    "tune": "Tune a posing method by leave-out reconstruction.",
    "scene": "Create scene files from meshes, with proposed strands.",
    "bench": "Measure speed and quality, compared with other methods and software.",
    "warmup": "Compile all kernels now.",
}

# commands in the folder `commands/research`
RESEARCH = ("reproduce", "tune", "bench")

# commands that recognise bodies and therefore take `--roles FILE`
TAKE_ROLES = (
    "info",
    "character",
    "retarget",
    "measure",
    "certify",
    "clean",
    "plan",
    "refine",
    "learn",
    "db",
    "render",
)

# name: stages of `writhe.warmup` to compile before its first run
NEEDS = {
    "retarget": ("kinematics", "motion files"),
    "measure": ("kinematics", "motion files", "linking"),
    "certify": ("kinematics", "motion files", "collision"),
    "clean": ("kinematics", "motion files", "collision"),
    "plan": ("kinematics", "motion files", "collision", "planning"),
    "refine": ("kinematics", "motion files", "collision", "planning"),
    "animate": ("kinematics", "motion files", "collision", "planning", "animation"),
    "db": ("kinematics", "motion files", "linking", "collision"),
    "learn": ("kinematics", "motion files", "trajectories"),
    "render": ("kinematics", "motion files", "collision", "skins"),
}


def _version(shown: bool) -> None:
    if shown:
        typer.echo(f"writhe {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Pose characters and create motion without body parts passing through each other."""


def _not_loaded() -> None:
    """Placeholder for a command that is not imported."""


def build_app(command: str | None) -> typer.Typer:
    """The command line with `command` imported and the other commands listed only."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name, line in COMMANDS.items():
        if name != command:
            app.command(name, help=line)(_not_loaded)
            continue
        folder = "commands.research" if name in RESEARCH else "commands"
        module = importlib.import_module(f"writhe.cli.{folder}.{name}")
        if hasattr(module, "app"):
            if name in TAKE_ROLES:
                for sub in module.app.registered_commands:
                    sub.callback = with_roles_option(sub.callback)
            app.add_typer(module.app, name=name, help=line)
            continue
        function = getattr(module, name)
        if name in TAKE_ROLES:
            function = with_roles_option(function)
        app.command(name, epilog=getattr(module, "EPILOG", None))(function)
    return app


def run(arguments: list[str] | None = None) -> None:
    """Run the command line; errors become one line on standard error and exit code 2."""
    given = sys.argv[1:] if arguments is None else arguments
    command = next((word for word in given if not word.startswith("-")), None)
    try:
        if command in NEEDS and not {"-h", "--help"} & set(given):
            from writhe.cli.commands.warmup import ensure_warm

            ensure_warm(*NEEDS[command])
        build_app(command)(args=given, prog_name="writhe")
    except (WritheError, OSError) as error:
        typer.echo(f"writhe: {error}", err=True)
        sys.exit(2)
