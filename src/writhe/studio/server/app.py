"""The web server: static page, document list, import and export, websocket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from writhe.errors import FileFormatError, WritheError
from writhe.json_values import is_object
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.editing.posers import Posers
from writhe.studio.files import exports, imports
from writhe.studio.files.document_folder import DocumentFolder
from writhe.studio.files.films import Films
from writhe.studio.files.shared_files import SharedFiles
from writhe.studio.protocol import registry
from writhe.studio.server.preparation import Preparation
from writhe.studio.server.security import AccessControl
from writhe.studio.server.session import StudioSession

STATIC = Path(__file__).parents[1] / "static"
MAX_UPLOADED = 64 * 2**20
MAX_SESSIONS = 128
FIRST_MESSAGE_S = 10.0
log = logging.getLogger("writhe.studio")
Result = TypeVar("Result")


@dataclass
class Opened:
    """An open document with its sessions and the number of users (sessions and requests)."""

    document: Document
    sessions: set[StudioSession] = field(default_factory=set[StudioSession])
    users: int = 0


class Studio:
    """The open documents and their sessions."""

    def __init__(self, documents: DocumentFolder, posers: Posers, preparation: Preparation) -> None:
        self.documents = documents
        self.posers = posers
        self.preparation = preparation
        self.pool = ThreadPoolExecutor(max(2, os.cpu_count() or 2), "studio")
        self.job_pool = ThreadPoolExecutor(2, "studio-job")
        self.quiet_job_pool = ThreadPoolExecutor(1, "studio-check")
        self.films = Films()
        self._open: dict[str, Opened] = {}
        self._sessions = 0

    async def threaded(self, work: Callable[[], Result]) -> Result:
        """Run work off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, work)

    def enter(self, number: str, session: StudioSession) -> Document:
        """Open a document for a session; sessions share an open document."""
        if self._sessions >= MAX_SESSIONS:
            raise WritheError(f"{MAX_SESSIONS} pages are already open; close some")
        opened = self._use(number)
        opened.sessions.add(session)
        self._sessions += 1
        session.on_change = partial(self.changed, number)
        return opened.document

    def leave(self, number: str, session: StudioSession) -> None:
        """End a session."""
        self._open[number].sessions.discard(session)
        self._sessions -= 1
        self._release(number)

    def changed(self, number: str, by: StudioSession | None) -> None:
        """Send the new state to all other sessions of the document."""
        if number in self._open:
            for session in self._open[number].sessions:
                if session is not by:
                    session.show()

    def busy(self, number: str) -> bool:
        """Whether the document is open."""
        return number in self._open

    def borrow(self, number: str) -> tuple[Document, Callable[[], None]]:
        """The document for one request, and a function that releases it."""
        return self._use(number).document, lambda: self._release(number)

    def _use(self, number: str) -> Opened:
        if number not in self._open:
            self._open[number] = Opened(Document.open(self.documents.path(number)))
        self._open[number].users += 1
        return self._open[number]

    def _release(self, number: str) -> None:
        """Release a document; the last user closes it."""
        opened = self._open[number]
        opened.users -= 1
        if opened.users == 0:
            del self._open[number]
            opened.document.close()


def _with_errors(
    handler: Callable[[Studio, Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    """A route that returns WritheErrors as JSON with status 400."""

    async def respond(request: Request) -> Response:
        try:
            return await handler(request.app.state.studio, request)
        except WritheError as error:
            return JSONResponse({"error": str(error)}, 400)

    return respond


async def _preparation(studio: Studio, request: Request) -> Response:
    state = studio.preparation.state()._asdict()
    return JSONResponse(state, headers={"cache-control": "no-store"})


async def _documents(studio: Studio, request: Request) -> Response:
    entries = await studio.threaded(studio.documents.entries)
    found = [asdict(entry) for entry in entries]
    return JSONResponse(found, headers={"cache-control": "no-store"})


async def _create(studio: Studio, request: Request) -> Response:
    fields = await _json(request)
    figure = str(fields.get("figure") or "human")
    number = await studio.threaded(
        lambda: studio.documents.create(str(fields.get("name") or ""), figure)
    )
    return JSONResponse({"id": number}, 201)


async def _copy(studio: Studio, request: Request) -> Response:
    number = request.path_params["number"]
    return JSONResponse({"id": await studio.threaded(lambda: studio.documents.copy(number))}, 201)


async def _download(studio: Studio, request: Request) -> Response:
    number = request.path_params["number"]
    data, name = await studio.threaded(lambda: studio.documents.download(number))
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type="application/octet-stream", headers=headers)


async def _upload(studio: Studio, request: Request) -> Response:
    data = await _body(request)
    try:
        number = await studio.threaded(lambda: studio.documents.upload(data))
    except FileFormatError as error:
        name = request.query_params.get("name", "")[:80] or "the file"
        raise FileFormatError(name, error.problem, remedy=error.remedy) from error
    return JSONResponse({"id": number}, 201)


async def _delete(studio: Studio, request: Request) -> Response:
    number = request.path_params["number"]
    if studio.busy(number):
        raise WritheError("this document is open in a page; close it there first")
    await studio.threaded(lambda: studio.documents.delete(number))
    return Response(status_code=204)


async def _thumbnail(studio: Studio, request: Request) -> Response:
    document, release = studio.borrow(request.path_params["number"])
    try:
        png = document.thumbnail
    finally:
        release()
    if not png:
        return Response(status_code=404)
    return Response(png, media_type="image/png", headers={"cache-control": "no-store"})


async def _export(studio: Studio, request: Request) -> Response:
    params = request.path_params
    actor, suffix = int(params["actor"]), str(params["suffix"])
    document, release = studio.borrow(params["number"])
    try:
        actors = [row.id for row in document.actors()] if actor == 0 else [actor]
        data, name = await studio.threaded(lambda: exports.export(document, actors, suffix))
        proven = await studio.threaded(
            lambda: exports.certificate_of_all(document, actors, data, suffix)
        )
    finally:
        release()
    headers = {
        "content-disposition": f'attachment; filename="{name}"',
        "x-certificate": msgspec.json.encode(proven).decode(),
    }
    return Response(data, media_type="application/octet-stream", headers=headers)


async def _inspect(studio: Studio, request: Request) -> Response:
    data, name = await _body(request), request.query_params.get("name", "")
    return JSONResponse(await studio.threaded(lambda: imports.inspect_file(name, data)))


async def _model(studio: Studio, request: Request) -> Response:
    """The glTF file of a character; its key is a hash of the content, so it never changes."""
    document, release = studio.borrow(request.path_params["number"])
    try:
        data = await studio.threaded(lambda: document.file(str(request.path_params["key"])))
    finally:
        release()
    headers = {"cache-control": "private, max-age=31536000, immutable"}
    return Response(data, media_type="model/gltf-binary", headers=headers)


async def _import(studio: Studio, request: Request) -> Response:
    number = request.path_params["number"]
    data = await _body(request)
    query = request.query_params
    document, release = studio.borrow(number)
    try:
        report, actor = await studio.threaded(
            lambda: imports.import_file(
                document,
                _whole_number(query.get("actor", "")),
                query.get("name", ""),
                data,
                form=query.get("as", "motion"),
                animation=query.get("animation") or None,
                shared_files=studio.posers.shared_files,
            )
        )
    finally:
        release()
    studio.changed(number, None)
    return JSONResponse({"text": report, "actor": actor})


async def _start_film(studio: Studio, request: Request) -> Response:
    """Begin a film of the view; its frames follow one by one."""
    found = await _json(request)
    fps = found.get("fps")
    if not isinstance(fps, int | float):
        raise WritheError("a film needs fps, its frames per second")
    name = await studio.threaded(lambda: studio.films.start(str(found.get("format")), float(fps)))
    return JSONResponse({"film": name})


async def _film(studio: Studio, request: Request) -> Response:
    """POST adds a frame (PNG), GET returns the finished file, DELETE discards it."""
    name = str(request.path_params["film"])
    if request.method == "POST":
        picture = await _body(request)
        return JSONResponse(
            {"frames": await studio.threaded(lambda: studio.films.add(name, picture))}
        )
    if request.method == "DELETE":
        await studio.threaded(lambda: studio.films.discard(name))
        return JSONResponse({})
    data = await studio.threaded(lambda: studio.films.finish(name))
    return Response(data, media_type="application/octet-stream")


def _whole_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise WritheError(f"the actor must be given by its number, not {text!r}")
    return int(text)


async def _body(request: Request) -> bytes:
    """The request's body; raises as soon as it exceeds `MAX_UPLOADED`."""
    too_large = WritheError(f"the file is larger than {MAX_UPLOADED >> 20} MiB")
    if int(request.headers.get("content-length") or 0) > MAX_UPLOADED:
        raise too_large
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_UPLOADED:
            raise too_large
        parts.append(part)
    return b"".join(parts)


async def _json(request: Request) -> dict[str, object]:
    if int(request.headers.get("content-length") or 0) > 10_000:
        raise WritheError("the request is longer than 10 kB")
    try:
        found = json.loads(await request.body() or b"{}")
    except ValueError as error:
        raise WritheError(f"not JSON: {error}") from error
    if not is_object(found):
        raise WritheError("the request must be a JSON object")
    return {str(name): value for name, value in found.items()}


async def _socket(socket: WebSocket) -> None:
    """The websocket of a page: an Open message, then a session."""
    studio: Studio = socket.app.state.studio
    await socket.accept()
    session = StudioSession(
        socket,
        studio.pool,
        studio.job_pool,
        studio.quiet_job_pool,
        studio.posers,
        studio.preparation,
    )
    number = ""
    try:
        try:
            data = await asyncio.wait_for(socket.receive_bytes(), FIRST_MESSAGE_S)
            first = registry.decoder.decode(data)
            if not isinstance(first, protocol.Open):
                raise WritheError("the first message must open a document")
            if first.protocol != protocol.PROTOCOL:
                raise WritheError("page and server have different versions: reload the page")
            document = studio.enter(first.document, session)
            number = first.document
        except (msgspec.MsgspecError, WritheError, TimeoutError, KeyError) as error:
            text = str(error) or "no message was received"
            await socket.send_bytes(registry.encoder.encode(protocol.ErrorMessage("open", text)))
            await socket.close(1008)
            return
        await session.run(document)
    except WebSocketDisconnect as gone:
        if gone.reason and gone.code in (1008, 1009):
            await _close(socket, gone.code, gone.reason)
    except (KeyError, RuntimeError) as error:
        # text instead of bytes, or a connection lost while sending
        log.debug("a connection ended: %s", error)
        await _close(socket, 1003, "")
    finally:
        if number:
            studio.leave(number, session)


async def _close(socket: WebSocket, code: int, reason: str) -> None:
    with contextlib.suppress(RuntimeError):  # it may be closed already
        await socket.close(code, reason)


async def _not_built(request: Request) -> Response:
    return PlainTextResponse(
        "The studio's page is not built yet. In a checkout run: make studio-client\n", 503
    )


def build_app(
    documents: DocumentFolder,
    token: str | None = None,
    posers: Posers | None = None,
    static: Path = STATIC,
    preparation: Preparation | None = None,
) -> Starlette:
    """The ASGI application."""
    document = "/api/documents/{number:str}"
    routes: list[BaseRoute] = [
        Route("/api/preparation", _with_errors(_preparation), methods=["GET"]),
        Route("/api/documents", _with_errors(_documents), methods=["GET"]),
        Route("/api/documents", _with_errors(_create), methods=["POST"]),
        Route(document, _with_errors(_delete), methods=["DELETE"]),
        Route("/api/documents/upload", _with_errors(_upload), methods=["POST"]),
        Route(f"{document}/file", _with_errors(_download), methods=["GET"]),
        Route(f"{document}/copy", _with_errors(_copy), methods=["POST"]),
        Route(f"{document}/thumbnail.png", _with_errors(_thumbnail), methods=["GET"]),
        Route(f"{document}/export/{{actor:int}}.{{suffix:str}}", _with_errors(_export)),
        Route(f"{document}/models/{{key:str}}.glb", _with_errors(_model), methods=["GET"]),
        Route("/api/films", _with_errors(_start_film), methods=["POST"]),
        Route("/api/films/{film:str}", _with_errors(_film), methods=["POST", "GET", "DELETE"]),
        Route("/api/inspect", _with_errors(_inspect), methods=["POST"]),
        Route(f"{document}/import", _with_errors(_import), methods=["POST"]),
        WebSocketRoute("/socket", _socket),
    ]
    if (static / "index.html").is_file():
        routes.append(Mount("/", StaticFiles(directory=static, html=True)))
    else:
        routes.append(Route("/", _not_built))
    app = Starlette(routes=routes, middleware=[Middleware(AccessControl, token=token)])
    app.state.studio = Studio(
        documents,
        posers or Posers(shared_files=SharedFiles(documents.folder)),
        preparation or Preparation.nothing_to_do(),
    )
    return app
