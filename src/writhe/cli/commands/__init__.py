"""The subcommands of `writhe`, one module each."""
