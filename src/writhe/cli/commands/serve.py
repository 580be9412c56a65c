"""`writhe serve`: a running writhe to which Blender attaches."""

from __future__ import annotations

from typing import Annotated

from writhe.cli.options import option
from writhe.cli.output import console


def serve(
    port: Annotated[int, option("Port; 0 for any free port.", min=0, max=65535)] = 8766,
    new_key: Annotated[bool, option("Replace the key of this user.", "--new-key")] = False,
) -> None:
    """Start a server that computes for Blender (or another program here) in this Python.

    Enter the printed address in the preferences of the extension. It ends with a key, which stays
    the same at the next start; whoever knows it can read and write documents as you.

    Example: `writhe serve`
    """
    from writhe.plugin.serve import Server, stored_key

    server = Server(port, stored_key(renew=new_key))
    print(server.address, flush=True)
    console.print("Programs attach to this address (Ctrl+C ends it).", highlight=False)
    try:
        server.run(lambda: console.print("A program has connected.", highlight=False))
    except KeyboardInterrupt:
        pass
    finally:
        server.stop()
