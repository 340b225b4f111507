"""A server on version 2 of the official Python SDK, for the tests of both eras of the protocol.

    python eras_server.py (--legacy|--modern|--dual) (--stdio|--http)

--legacy knows only revisions that begin with `initialize`, --modern only 2026-07-28, --dual both.
--http serves /mcp on a free port of 127.0.0.1, says "listening on PORT", and ends when its stdin does.

The SDK has only the dual form; the other two are its own parts for one era, without the choice that it
puts before them.
"""

import argparse
import os
import socket
import sys
import threading
import warnings
from typing import Annotated

import anyio
import uvicorn
from mcp.server import streamable_http_manager
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.server.runner import _serve_modern_stream, serve_loop
from mcp.server.stdio import stdio_server
from mcp.types import UNSUPPORTED_PROTOCOL_VERSION, Completion
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel
from starlette.responses import JSONResponse

warnings.simplefilter("ignore")

server = MCPServer("python-sdk-2", version="2", instructions="Ask politely.")

NAMES = ["Ada", "Alan", "Barbara"]
NOTES = {"one": "first", "two": "second"}


class Name(BaseModel):
    """What `ask` wants to know."""

    name: str = "nobody"


def who() -> Elicit[Name]:
    """Asks for the name: by a request where the client is of the legacy era, else in the result."""
    return Elicit("What is your name?", Name)


@server.tool()
def echo(text: str) -> str:
    """Gives back what it gets."""
    return text


@server.tool()
async def slow(ms: float, ctx: Context) -> str:
    """Answers late, and tells about it before."""
    steps = 4
    for step in range(1, steps + 1):
        await anyio.sleep(ms / steps / 1000)
        await ctx.report_progress(step, steps)
    return f"slow: {ms:g}"


@server.tool()
def ask(name: Annotated[ElicitationResult[Name], Resolve(who)]) -> str:
    """Asks who the user is."""
    return f"Hello, {name.data.name}" if isinstance(name, AcceptedElicitation) else name.action


@server.tool()
def fail() -> str:
    """Fails."""
    raise ToolError("failed as asked")


@server.tool()
async def grow(ctx: Context) -> str:
    """Adds a tool."""
    server.add_tool(lambda: "grown", name="grown", description="Was not there before")
    await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()
    return "grew"


@server.tool()
async def touch(ctx: Context) -> str:
    """Says that note://one has changed."""
    await ctx.notify_resource_updated("note://one")
    await ctx.session.send_resource_updated("note://one")
    return "touched"


@server.resource("note://one", name="one", mime_type="text/plain")
def one() -> str:
    """A note."""
    return NOTES["one"]


@server.resource("note://two", name="two", mime_type="text/plain")
def two() -> str:
    """A note."""
    return NOTES["two"]


@server.resource("note://{name}", name="note", mime_type="text/plain")
def note(name: str) -> str:
    """A note."""
    return f"no {name}"


@server.prompt()
def greet(name: str) -> str:
    """Greets somebody."""
    return f"Greet {name}."


@server.completion()
async def complete(ref, argument, context) -> Completion:
    """Knows some names."""
    return Completion(values=[name for name in NAMES if name.startswith(argument.value)])


async def handle_legacy(manager, scope, receive, send) -> None:
    """Never looks whether a request is of the modern era."""
    await manager._handle_stateful_request(scope, receive, send)


async def handle_modern(manager, scope, receive, send) -> None:
    """Takes every request for one of the modern era; what names no such revision is refused at once.

    The part of the SDK that is used here relies on that choice and would find fault with the body alone.
    """
    asked = dict(scope["headers"]).get(b"mcp-protocol-version", b"none").decode("latin-1")
    if asked not in MODERN_PROTOCOL_VERSIONS:
        data = {"supported": list(MODERN_PROTOCOL_VERSIONS), "requested": asked}
        error = {"code": UNSUPPORTED_PROTOCOL_VERSION, "message": "Unsupported protocol version", "data": data}
        answer = JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status_code=400)
        await answer(scope, receive, send)
        return
    await streamable_http_manager.handle_modern_request(
        manager.app, manager.security_settings, manager.json_response, manager._lifespan_state, scope, receive, send
    )


HANDLERS = {"legacy": handle_legacy, "modern": handle_modern}


async def over_stdio(era: str) -> None:
    """Serves one client over stdin and stdout."""
    if era == "dual":
        await server.run_stdio_async()
        return
    inner = server._lowlevel_server
    serve = serve_loop if era == "legacy" else _serve_modern_stream
    # The second must be told whether errors of tools end it; the first has a default.
    more = {} if era == "legacy" else {"raise_exceptions": False}
    async with stdio_server() as (reading, writing), inner.lifespan(inner) as state:
        await serve(inner, reading, writing, lifespan_state=state, **more)


def end_with_stdin() -> None:
    """Waits for the end of stdin, which comes with the end of the test, however that ends."""
    sys.stdin.buffer.read()
    os._exit(0)


def over_http(era: str) -> None:
    """Serves until stdin ends."""
    if era in HANDLERS:
        streamable_http_manager.StreamableHTTPSessionManager._handle_request = HANDLERS[era]
    app = server.streamable_http_app()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    threading.Thread(target=end_with_stdin, daemon=True).start()
    # Who connects now is served as soon as the loop runs.
    print(f"listening on {listener.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


def main() -> None:
    """Serves as the flags say."""
    flags = argparse.ArgumentParser()
    eras = flags.add_mutually_exclusive_group(required=True)
    for era in ["legacy", "modern", "dual"]:
        eras.add_argument(f"--{era}", dest="era", action="store_const", const=era)
    ways = flags.add_mutually_exclusive_group(required=True)
    ways.add_argument("--stdio", dest="serve", action="store_const", const=lambda era: anyio.run(over_stdio, era))
    ways.add_argument("--http", dest="serve", action="store_const", const=over_http)
    given = flags.parse_args()
    given.serve(given.era)


if __name__ == "__main__":
    main()
