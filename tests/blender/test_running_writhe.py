"""The extension attached to a running `writhe serve`."""

from __future__ import annotations

import os
import socket
import stat
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from blender_runs import result_of

from writhe.plugin import wire
from writhe.plugin.serve import Server, stored_key

BARE = os.environ.get("WRITHE_BARE_BLENDER_PYTHON", "")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    running = Server(0, "secret")
    threading.Thread(target=running.run, daemon=True).start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def someone():
    """Listens like another program: sends some bytes to whoever connects."""
    listening: list[socket.socket] = []

    def start(says: bytes) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listening.append(listener)

        def run() -> None:
            other, _ = listener.accept()
            with other:
                other.recv(100)
                other.sendall(says)

        threading.Thread(target=run, daemon=True).start()
        return f"127.0.0.1:{listener.getsockname()[1]}/secret"

    yield start
    for listener in listening:
        listener.close()


def test_two_connections_have_sessions_of_their_own(process, server):
    one, other = (process.AttachedClient(server.address) for _ in range(2))
    try:
        assert one.about["version"] and one.alive
        human = one.request("built_in_human", {"fingers": False})
        assert len(human["bones"]) > 15
        with pytest.raises(process.EngineError, match="no drag has begun"):
            other.request("drag", {"points": [[0.0, 0.0, 0.0]]})
    finally:
        one.stop()
        assert not one.alive and other.alive
        other.stop()
    with pytest.raises(process.EngineError, match="has ended"):
        one.request("preset_names", {})


def test_closing_a_connection_ends_its_process(process, server):
    engine = server._reserve  # the next connection gets it
    client = process.AttachedClient(server.address)
    assert engine is not server._reserve and engine.poll() is None
    client.stop()
    deadline = time.monotonic() + 20.0
    while engine in server._engines and time.monotonic() < deadline:
        time.sleep(0.05)
    assert engine not in server._engines and engine.poll() is not None


def test_programs_that_connect_at_once_do_not_share_a_process(process, server, monkeypatch):
    start = server._start

    def slowly():
        time.sleep(0.2)  # the other one connects meanwhile
        return start()

    monkeypatch.setattr(server, "_start", slowly)
    before = set(server._engines) - {server._reserve}
    clients: list = []

    def connect() -> None:
        clients.append(process.AttachedClient(server.address))

    threads = [threading.Thread(target=connect, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30.0)
    assert len(clients) == 2
    assert len(server._engines - before - {server._reserve}) == 2
    for client in clients:
        client.stop()


def test_a_process_that_ended_in_reserve_is_replaced(process, server):
    server._reserve.kill()
    server._reserve.wait()
    client = process.AttachedClient(server.address)
    assert client.request("preset_names", {})["names"]
    client.stop()


def test_only_this_machine_can_connect(server):
    assert server._listener.getsockname()[0] == "127.0.0.1"


def test_work_ends_with_the_program_that_asked_for_it(process, tmp_path):
    """A program that is killed in the middle of a request leaves no process behind."""
    client = process.ProcessClient(sys.executable)
    running = client._process
    # a document that is a pipe without a writer: the request waits for ever
    pipe = tmp_path / "document.writhe"
    os.mkfifo(pipe)
    wire.send(client._sink, {"request": "open_document", "data": {"path": str(pipe)}})
    time.sleep(0.5)
    assert running.poll() is None
    client._sink.close()
    assert running.wait(20.0) == 0
    client._source.close()


def test_nobody_answers_without_the_key(process, server):
    place = server.address.partition("/")[0]
    with pytest.raises(process.EngineError, match="key is wrong"):
        process.AttachedClient(f"{place}/guess")
    with pytest.raises(process.EngineError, match="writhe serve"):
        process.AttachedClient(place)


def test_a_writhe_that_does_not_run_is_named(process):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = taken.getsockname()[1]
    with pytest.raises(process.EngineError, match=f"no writhe runs at 127.0.0.1:{free}"):
        process.AttachedClient(f"127.0.0.1:{free}/secret")


def test_other_programs_and_other_versions_are_recognised(process, someone, tmp_path):
    with pytest.raises(process.EngineError, match="is not writhe"):
        process.AttachedClient(someone(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
    hello = tmp_path / "hello"
    with hello.open("wb") as file:
        wire.send(file, {"answer": {"version": "9.0", "python": "3.99", "protocol": 99}})
    with pytest.raises(process.EngineError, match=r"writhe 9\.0 does not fit this extension"):
        process.AttachedClient(someone(hello.read_bytes()))


def test_the_key_stays_and_only_its_user_reads_it(tmp_path, monkeypatch):
    monkeypatch.setenv("WRITHE_CONFIG_DIR", str(tmp_path))
    key = stored_key()
    assert len(key) >= 24 and stored_key() == key
    assert stored_key(renew=True) != key
    (file,) = tmp_path.rglob("key")
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.skipif(
    not BARE, reason="set WRITHE_BARE_BLENDER_PYTHON to a Python with bpy and no writhe"
)
@pytest.mark.parametrize("running", [False, True], ids=["started", "attached"])
def test_a_writhe_elsewhere_does_the_work_of_all_operators(running, server):
    script = Path(__file__).with_name("attached.py")
    chosen = ("address", server.address) if running else ("python", sys.executable)
    result = result_of([BARE, str(script), *chosen])
    assert "pip install writhe" in result["problem"]
    assert result["loaded"] == []
    assert result["error_m"] < 0.01
    assert result["verdict"] == "certified"
    assert result["through"] in ("passes through", "penetrating")
    assert result["cleaned"] == "certified"
    assert result["cancelled"]
    assert ("running writhe at 127.0.0.1" in result["where"]) == running
