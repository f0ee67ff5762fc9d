// The same agent on the official TypeScript SDK. argv: PORT, and a file that keeps the sessions.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import * as acp from "@agentclientprotocol/sdk";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import {
  createNodeHttpHandler,
  createNodeWebSocketUpgradeHandler,
} from "@agentclientprotocol/sdk/experimental/node";

const [port, kept] = process.argv.slice(2);
const store = new Map(existsSync(kept) ? JSON.parse(readFileSync(kept)) : []);
const keep = () => writeFileSync(kept, JSON.stringify([...store]));
const methods = acp.methods;
const options = [
  { optionId: "y", name: "Yes", kind: "allow_once" },
  { optionId: "n", name: "No", kind: "reject_once" },
];

function tell(client, sessionId, kind, text) {
  const update = { sessionUpdate: `${kind}_message_chunk`, content: { type: "text", text } };
  return client.notify(methods.client.session.update, { sessionId, update });
}

function createAgent() {
  const cancelled = new Set();
  const verbs = {
    say: async (say, text) => say(text),
    stream: async (say, count) => {
      for (let number = 0; number < +count; number++) await say(`${number} `);
    },
    ask: async (say, _rest, client, sessionId) => {
      const toolCall = { toolCallId: "t1", title: "may I" };
      const answer = await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall,
        options,
      });
      await say(`answer ${answer.outcome.optionId}`);
    },
    read: async (say, path, client, sessionId) => {
      const read = await client.request(methods.client.fs.readTextFile, { sessionId, path });
      await say(`read ${read.content}`);
    },
    slow: async (say, count, _client, sessionId) => {
      for (let number = 0; number < +count && !cancelled.has(sessionId); number++) {
        await say(`tick ${number} `);
        await new Promise((done) => setTimeout(done, 50));
      }
    },
  };
  return acp
    .agent({ name: "remote-ts" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: 1,
      agentInfo: { name: "remote-ts", version: "1" },
      agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, close: {} } },
    }))
    .onRequest(methods.agent.session.new, ({ params }) => {
      const sessionId = crypto.randomUUID();
      store.set(sessionId, { cwd: params.cwd, log: [] });
      keep();
      return { sessionId };
    })
    .onRequest(methods.agent.session.list, () => ({
      sessions: [...store].map(([sessionId, it]) => ({ sessionId, cwd: it.cwd })),
    }))
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      for (const [kind, text] of store.get(params.sessionId).log)
        await tell(client, params.sessionId, kind, text);
      return {};
    })
    .onRequest(methods.agent.session.close, () => ({}))
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      cancelled.add(params.sessionId);
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      const sessionId = params.sessionId;
      const { log } = store.get(sessionId);
      const text = params.prompt[0].text; // what goes along comes after it
      cancelled.delete(sessionId);
      log.push(["user", text]);
      const say = async (said) => {
        log.push(["agent", said]);
        await tell(client, sessionId, "agent", said);
      };
      const at = text.indexOf(":");
      await verbs[text.slice(0, at)](say, text.slice(at + 1), client, sessionId);
      keep();
      return { stopReason: cancelled.has(sessionId) ? "cancelled" : "end_turn" };
    });
}

const server = new AcpServer({ createAgent });
const http = createServer(createNodeHttpHandler(server));
http.on("upgrade", createNodeWebSocketUpgradeHandler(server, new WebSocketServer({ noServer: true })));
http.listen(+port, "127.0.0.1");
