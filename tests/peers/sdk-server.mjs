// A server on the official TypeScript SDK, for the tests of the HTTP transport.
//
//   node sdk-server.mjs [--json|--sse] [--stateful|--stateless]
//
// Serves /mcp on a free port of 127.0.0.1, says "listening on PORT", and ends when its stdin does.

import { randomUUID } from "node:crypto";
import { setTimeout as after } from "node:timers/promises";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  isInitializeRequest,
} from "@modelcontextprotocol/sdk/types.js";
import express from "express";
import { z } from "zod";

const KNOWN = ["--json", "--sse", "--stateful", "--stateless"];
const flags = process.argv.slice(2);
const unknown = flags.find((flag) => !KNOWN.includes(flag));
if (unknown !== undefined) {
  console.error(`unknown flag ${unknown}; there are ${KNOWN.join(" ")}`);
  process.exit(2);
}
const json = flags.includes("--json");
const stateless = flags.includes("--stateless");

const text = (value) => ({ content: [{ type: "text", text: value }] });

// What a tool may ask the client: the request, and the shape of its answer.
const QUESTIONS = {
  elicitation: [
    {
      method: "elicitation/create",
      params: {
        message: "What is your name?",
        requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      },
    },
    ElicitResultSchema,
  ],
  sampling: [
    {
      method: "sampling/createMessage",
      params: {
        messages: [{ role: "user", content: { type: "text", text: "What is your name?" } }],
        maxTokens: 10,
      },
    },
    CreateMessageResultSchema,
  ],
};

function makeServer() {
  const server = new McpServer(
    { name: "typescript-sdk", version: "1" },
    { capabilities: { logging: {} } },
  );

  server.registerTool(
    "echo",
    { description: "Gives back what it gets", inputSchema: { text: z.string() } },
    async ({ text: given }) => text(given),
  );

  server.registerTool(
    "slow",
    { description: "Answers late, and tells about it before", inputSchema: { ms: z.number() } },
    async ({ ms }, { _meta, sendNotification, signal }) => {
      await sendNotification({
        method: "notifications/message",
        params: { level: "info", data: "slow: begun" },
      });
      const progressToken = _meta?.progressToken;
      const steps = 4;
      for (let step = 1; step <= steps; step += 1) {
        await after(ms / steps, undefined, { signal });
        if (progressToken !== undefined) {
          await sendNotification({
            method: "notifications/progress",
            params: { progressToken, progress: step, total: steps },
          });
        }
      }
      return text(`slow: ${ms}`);
    },
  );

  server.registerTool(
    "ask",
    {
      description: "Asks the client during the call and gives back its answer",
      inputSchema: { kind: z.enum(["elicitation", "sampling"]).default("elicitation") },
    },
    async ({ kind }, extra) => {
      if (stateless) {
        throw new Error("without a session no answer of the client would find its way here");
      }
      // The stream of the call carries the question. Where the call is answered by plain JSON there is
      // no such stream, and the one that the client opened by GET has to do.
      const [request, shape] = QUESTIONS[kind];
      const answer = json ? await server.server.request(request, shape) : await extra.sendRequest(request, shape);
      return text(JSON.stringify(answer));
    },
  );

  server.registerTool("fail", { description: "Fails", inputSchema: {} }, async () => {
    throw new Error("failed as asked");
  });

  return server;
}

const sessions = new Map();

async function newTransport() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: stateless ? undefined : randomUUID,
    enableJsonResponse: json,
    onsessioninitialized: (id) => sessions.set(id, transport),
    onsessionclosed: (id) => sessions.delete(id),
  });
  await makeServer().connect(transport);
  return transport;
}

function refuse(response, status, message) {
  response.status(status).json({ jsonrpc: "2.0", error: { code: -32000, message }, id: null });
}

const app = express();
app.use(express.json({ limit: "16mb" }));
app.all("/mcp", async (request, response) => {
  if (stateless) {
    if (request.method !== "POST") {
      refuse(response.set("Allow", "POST"), 405, "Method Not Allowed");
      return;
    }
    const transport = await newTransport();
    response.on("close", () => transport.close());
    await transport.handleRequest(request, response, request.body);
    return;
  }
  const id = request.get("mcp-session-id");
  if (id !== undefined) {
    const transport = sessions.get(id);
    if (transport === undefined) {
      refuse(response, 404, "Session Not Found");
      return;
    }
    await transport.handleRequest(request, response, request.body);
  } else if (request.method === "POST" && isInitializeRequest(request.body)) {
    await (await newTransport()).handleRequest(request, response, request.body);
  } else {
    refuse(response, 400, "Bad Request: a session id is needed");
  }
});

const listener = app.listen(0, "127.0.0.1", () => {
  console.log(`listening on ${listener.address().port}`);
});
process.stdin.resume().on("end", () => process.exit(0));
