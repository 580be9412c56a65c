"""Access control: token, Host and Origin checks, security headers.

On loopback every local client is accepted; pages of other sites are rejected by their Origin header
and, against DNS rebinding, by the Host header. On any other address a token is required, which the
printed address contains and a cookie stores.
"""

from __future__ import annotations

import ipaddress
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "writhe_token"
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' blob: data:; "
    "connect-src 'self' blob: data:; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


def is_loopback(host: str) -> bool:
    """Whether an address is reachable from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class AccessControl:
    """ASGI middleware that rejects unauthorised requests and adds security headers."""

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refusal(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = urlsplit(f"//{headers.get('host', '')}")
        if self._token is None and not is_loopback(host.hostname or ""):
            return PlainTextResponse("this server accepts requests from its own machine only", 403)
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host.netloc:
            return PlainTextResponse("requests from pages of other sites are rejected", 403)
        if self._token is None or self._has_cookie(headers):
            return None
        query = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))
        if not secrets.compare_digest(query.pop("token", "").encode(), self._token.encode()):
            return PlainTextResponse(
                "access token missing: open the address that the server printed at its start",
                403,
            )
        if scope["type"] == "websocket":
            return None
        rest = f"?{urlencode(query)}" if query else ""
        response = RedirectResponse(scope["path"] + rest, 303)
        response.set_cookie(COOKIE, self._token, httponly=True, samesite="strict", path="/")
        return response

    def _has_cookie(self, headers: Headers) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        given = found.value if found is not None else ""
        return secrets.compare_digest(given.encode(), (self._token or "").encode())


def _with_headers(send: Send) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return sender
