"""The command line: one file per command, each a thin layer over the library."""


def main() -> None:
    """Run the `writhe` command."""
    from writhe.cli.app import run

    run()
