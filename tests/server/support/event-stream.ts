// Reads a stream of server-sent events as a client does, line by line.

import { onTestFinished } from "vitest";

/** An event of a stream. */
export interface Sent {
  /** The cursor. */
  id: string;
  kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: events of many shapes, which the tests are about
  data: any;
}

export interface Stream {
  status: number;
  headers: Headers;
  /** Returns the next event; undefined if the stream has ended. */
  next(): Promise<Sent | undefined>;
  /** Returns the next events. */
  take(count: number): Promise<Sent[]>;
  /** Ends the connection. */
  leave(): void;
}

/** Opens a stream. `headers` name the agent, the key and the cursor. */
export async function follow(
  url: string,
  headers: Record<string, string>,
  query = "",
): Promise<Stream> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(`${url}/v1/events${query}`, {
    headers: { accept: "text/event-stream", ...headers },
    signal: leaving.signal,
  });
  const events = eventsOf(response.body!);
  const next = async () => {
    const { done, value } = await events.next();
    return done ? undefined : value;
  };
  return {
    status: response.status,
    headers: response.headers,
    next,
    take: async (count) => {
      const taken: Sent[] = [];
      while (taken.length < count) {
        const event = await next();
        if (event === undefined) throw new Error(`the stream ended after ${taken.length} events`);
        taken.push(event);
      }
      return taken;
    },
    leave: () => leaving.abort(),
  };
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Sent> {
  let text = "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop()!;
    for (const block of blocks) {
      const fields = new Map(
        block
          .split("\n")
          .map((line) => [line.split(": ", 1)[0]!, line.slice(line.indexOf(":") + 2)]),
      );
      const kind = fields.get("event");
      if (kind !== undefined)
        yield { id: fields.get("id")!, kind, data: JSON.parse(fields.get("data")!) };
    }
  }
}
