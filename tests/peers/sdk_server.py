"""A server on the official Python SDK, for the tests of the HTTP transport.

    python sdk_server.py [--json|--sse] [--stateful|--stateless]    serves /mcp
    python sdk_server.py --legacy-sse                               serves /sse and /messages/, as of 2024-11-05

Takes a free port of 127.0.0.1, says "listening on PORT", and ends when its stdin does.
"""

import argparse
import os
import socket
import sys
import threading
import warnings
from typing import Literal

import anyio
import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel

# Logging and sampling are spoken of as things of the past; here they are what is tested.
warnings.simplefilter("ignore")

server = MCPServer("python-sdk", version="1")


class Name(BaseModel):
    """What `ask` wants to know."""

    name: str


@server.tool()
def echo(text: str) -> str:
    """Gives back what it gets."""
    return text


@server.tool()
async def slow(ms: float, ctx: Context) -> str:
    """Answers late, and tells about it before."""
    await ctx.info("slow: begun")
    steps = 4
    for step in range(1, steps + 1):
        await anyio.sleep(ms / steps / 1000)
        await ctx.report_progress(step, steps)
    return f"slow: {ms:g}"


@server.tool()
async def ask(ctx: Context, kind: Literal["elicitation", "sampling"] = "elicitation") -> str:
    """Asks the client during the call and gives back its answer."""
    if kind == "elicitation":
        answer = await ctx.elicit("What is your name?", Name)
        return answer.model_dump_json()
    question = SamplingMessage(role="user", content=TextContent(type="text", text="What is your name?"))
    answer = await ctx.session.create_message([question], max_tokens=10, related_request_id=ctx.request_id)
    return answer.model_dump_json()


@server.tool()
def fail() -> str:
    """Fails."""
    raise ToolError("failed as asked")


def end_with_stdin() -> None:
    """Waits for the end of stdin, which comes with the end of the test, however that ends."""
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    """Serves until stdin ends."""
    flags = argparse.ArgumentParser()
    answers = flags.add_mutually_exclusive_group()
    answers.add_argument("--json", action="store_true")
    answers.add_argument("--sse", action="store_true")
    sessions = flags.add_mutually_exclusive_group()
    sessions.add_argument("--stateful", action="store_true")
    sessions.add_argument("--stateless", action="store_true")
    flags.add_argument("--legacy-sse", action="store_true")
    given = flags.parse_args()

    if given.legacy_sse:
        app = server.sse_app()
    else:
        app = server.streamable_http_app(json_response=given.json, stateless_http=given.stateless)

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    threading.Thread(target=end_with_stdin, daemon=True).start()
    # Who connects now is served as soon as the loop runs.
    print(f"listening on {listener.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    main()
