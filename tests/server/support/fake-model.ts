// A fake model: the chat endpoint of an OpenAI-compatible service, on this machine. It records what it
// was sent, and answers with a fixed text. If it is offered the tools of the memory, it calls them
// first, as a model does: `recall` for every message, then `remember` for what is no question.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** The answer of the model to every message. */
export const ANSWER = "Understood.";

export interface ChatRequest {
  model: string;
  messages: { role: string; content: unknown }[];
  tools?: { function: { name: string } }[];
}

export interface FakeModel {
  /** The address, as OPENAI_BASE_URL takes it. */
  url: string;
  key: string;
  /** The requests, the oldest first. */
  received: ChatRequest[];
}

/** Starts a fake model that ends with the test. */
export async function fakeModel(): Promise<FakeModel> {
  const received: ChatRequest[] = [];
  const key = "key of the fake model";
  const service = createServer(async (request, response) => {
    const asked = `${request.method} ${request.url} ${request.headers.authorization}`;
    if (asked !== `POST /v1/chat/completions Bearer ${key}`) {
      response.writeHead(404).end(JSON.stringify({ error: { message: `no such call: ${asked}` } }));
      return;
    }
    const chat = JSON.parse(await textOf(request)) as ChatRequest;
    received.push(chat);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(completion(chat, received.length)));
  });
  await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    service.closeAllConnections();
    service.close();
  });
  return { url: `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`, key, received };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

function completion(chat: ChatRequest, place: number): object {
  const call = nextCall(chat);
  const message =
    call === undefined
      ? { role: "assistant", content: ANSWER }
      : {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: `call_${place}`,
              type: "function",
              function: { name: call.name, arguments: JSON.stringify(call.given) },
            },
          ],
        };
  return {
    id: `chat_${place}`,
    object: "chat.completion",
    created: 1_700_000_000,
    model: chat.model,
    choices: [{ index: 0, message, finish_reason: call === undefined ? "stop" : "tool_calls" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

/** Returns the next call of a tool; undefined if the model answers. */
function nextCall({ messages, tools = [] }: ChatRequest) {
  const said = messages.find(({ role }) => role === "user")?.content as string;
  const calls = [
    { name: "recall", given: { query: said } },
    ...(said.endsWith("?") ? [] : [{ name: "remember", given: { text: said } }]),
  ].filter(({ name }) => tools.some((tool) => tool.function.name === name));
  return calls[messages.filter(({ role }) => role === "tool").length];
}
