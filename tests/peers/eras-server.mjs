// A server on version 2 of the official TypeScript SDK, for the tests of both eras of the protocol.
//
//   node eras-server.mjs (--legacy|--modern|--dual) (--stdio|--http)
//
// --legacy knows only revisions that begin with `initialize`, --modern only 2026-07-28, --dual both.
// --http serves /mcp on a free port of 127.0.0.1, says "listening on PORT", and ends when its stdin
// does. A session of the legacy era lives as long as the process or until it is deleted.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as after } from "node:timers/promises";

import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from "@modelcontextprotocol/node";
import {
  McpServer,
  ResourceTemplate,
  completable,
  createMcpHandler,
  inputRequired,
  inputResponse,
  isInitializeRequest,
  isLegacyRequest,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const WAYS = ["--stdio", "--http"];
const ERAS = ["--legacy", "--modern", "--dual"];
const flags = process.argv.slice(2);
const era = flags.find((flag) => ERAS.includes(flag));
const way = flags.find((flag) => WAYS.includes(flag));
if (flags.length !== 2 || era === undefined || way === undefined) {
  console.error(`one of ${ERAS.join(" ")} and one of ${WAYS.join(" ")}`);
  process.exit(2);
}

const NAMES = ["Ada", "Alan", "Barbara"];
const NOTES = { one: "first", two: "second" };
const text = (value) => ({ content: [{ type: "text", text: value }] });

// Over HTTP an instance of the modern era lives for one request; these outlive it.
let grown = false;
const servers = new Set();
let tellModern = { toolsChanged() {}, resourceUpdated() {} };

function addGrown(server) {
  server.registerTool("grown", { description: "Was not there before" }, async () => text("grown"));
}

async function grow() {
  if (grown) return;
  grown = true;
  for (const server of servers) addGrown(server);
  tellModern.toolsChanged();
}

function makeServer() {
  const server = new McpServer(
    { name: "typescript-sdk-2", version: "2" },
    {
      instructions: "Ask politely.",
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
    },
  );
  servers.add(server);
  server.server.onclose = () => servers.delete(server);

  server.registerTool(
    "echo",
    { description: "Gives back what it gets", inputSchema: z.object({ text: z.string() }) },
    async ({ text: given }) => text(given),
  );

  server.registerTool(
    "slow",
    { description: "Answers late, and tells about it before", inputSchema: z.object({ ms: z.number() }) },
    async ({ ms }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      const steps = 4;
      for (let step = 1; step <= steps; step += 1) {
        await after(ms / steps, undefined, { signal: mcpReq.signal });
        if (progressToken !== undefined) {
          await mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress: step, total: steps },
          });
        }
      }
      return text(`slow: ${ms}`);
    },
  );

  // The SDK asks by a request of its own where the client is of the legacy era.
  server.registerTool("ask", { description: "Asks who the user is" }, async ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "name");
    if (answer.kind === "elicit") {
      return text(answer.action === "accept" ? `Hello, ${answer.content.name}` : answer.action);
    }
    return inputRequired({
      inputRequests: {
        name: inputRequired.elicit({
          message: "What is your name?",
          requestedSchema: {
            type: "object",
            properties: { name: { type: "string", default: "nobody" } },
            required: ["name"],
          },
        }),
      },
      requestState: "asked",
    });
  });

  server.registerTool("fail", { description: "Fails" }, async () => {
    throw new Error("failed as asked");
  });

  server.registerTool("grow", { description: "Adds a tool" }, async () => {
    await grow();
    return text("grew");
  });

  server.registerTool("touch", { description: "Says that note://one has changed" }, async () => {
    tellModern.resourceUpdated("note://one");
    for (const other of servers) {
      if (other.isConnected()) await other.server.sendResourceUpdated({ uri: "note://one" });
    }
    return text("touched");
  });

  const note = async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: NOTES[uri.hostname] ?? `no ${uri.hostname}` }],
  });
  for (const name of Object.keys(NOTES)) {
    server.registerResource(name, `note://${name}`, { description: "A note", mimeType: "text/plain" }, note);
  }
  server.registerResource("note", new ResourceTemplate("note://{name}", { list: undefined }), {}, note);

  server.registerPrompt(
    "greet",
    {
      description: "Greets somebody",
      argsSchema: z.object({
        name: completable(z.string(), (start) => NAMES.filter((name) => name.startsWith(start))),
      }),
    },
    async ({ name }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
    }),
  );

  // Of the legacy era alone; the SDK leaves both methods to its users.
  server.server.setRequestHandler("resources/subscribe", async () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", async () => ({}));

  if (grown) addGrown(server);
  return server;
}

const sessions = new Map();

async function serveLegacy(request, response) {
  const id = request.headers["mcp-session-id"];
  if (id !== undefined) {
    const transport = sessions.get(id);
    if (transport === undefined) return refuse(response, 404, "Session not found");
    return transport.handleRequest(request, response, request.body);
  }
  if (request.method === "POST" && isInitializeRequest(request.body)) {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await makeServer().connect(transport);
    return transport.handleRequest(request, response, request.body);
  }
  return refuse(response, 400, "Bad Request: a session id is needed");
}

function refuse(response, status, message) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }));
}

async function bodyOf(request) {
  if (request.method !== "POST") return undefined;
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  return JSON.parse(body);
}

function serveHttp() {
  const modern = createMcpHandler(makeServer, { legacy: "reject" });
  tellModern = modern.notify;
  const serveModern = toNodeHandler(modern);
  const listener = createServer(async (request, response) => {
    try {
      request.body = await bodyOf(request);
      const isLegacy =
        era === "--legacy" ||
        (era === "--dual" && (await isLegacyRequest(await toWebRequest(request, request.body), request.body)));
      await (isLegacy ? serveLegacy(request, response) : serveModern(request, response, request.body));
    } catch (error) {
      console.error(error);
      if (!response.headersSent) refuse(response, 400, "Bad Request");
    }
  });
  listener.listen(0, "127.0.0.1", () => console.log(`listening on ${listener.address().port}`));
  process.stdin.resume().on("end", () => process.exit(0));
}

if (way === "--http") {
  serveHttp();
} else if (era === "--legacy") {
  await makeServer().connect(new StdioServerTransport());
} else {
  serveStdio(makeServer, { legacy: era === "--dual" ? "serve" : "reject" });
}
