// Many kinds of requests on a new memory, to compare the answers of servers with different
// databases.

import { type Client, LESSON } from "./shared-server.ts";

export const VECTOR = [0.1, -0.7, 0.3];

/** Makes the requests. Returns the parts of the answers that do not depend on the time. */
export async function life(client: Client): Promise<unknown[]> {
  const answers: unknown[] = [];
  const ask = async (call: string, body?: unknown) => {
    const { status, body: answer } = await client.ask(call, body);
    const text = JSON.stringify(answer, (key, value) => {
      if (/(_at|_?ms|last_.*|.*_time|e_id|retrievability)$/.test(key)) return null;
      // Fading values have faded a little further for the later request.
      return typeof value === "number" && !Number.isInteger(value) ? null : value;
    });
    answers.push([call, status, text?.replace(/\b[ec]_[0-9a-z]{12}\b/g, "(made)")]);
    return answer;
  };
  const [a, b, c] = ["n_squeeze", "n_trend", "n_note"];
  // By how fast a database is, memories would be a run or not.
  const made = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  await ask("POST /nodes", {
    ...{ ...LESSON, id: a, embedding: VECTOR, neural_stability: 0.1 + 0.2 },
    created_at: made(8),
  });
  await ask("POST /nodes", {
    ...LESSON,
    id: b,
    content_title: "Тренд: 資金 and ünicode",
    content_body: '{"text": "\\u0000?"}',
    created_at: made(6),
  });
  await ask("POST /nodes", {
    ...{ type: "episode", id: c, content_title: "A note", content_body: null },
    created_at: made(4),
  });
  await ask("POST /nodes", { type: "episode", id: c, content_title: "The same again" });
  await ask("POST /edges", { source_id: a, target_id: b, type: "causes" });
  await ask("POST /edges", { source_id: a, target_id: "n_nobody", type: "causes" });
  await ask("POST /search", { query: "funding squeeze", embedding: VECTOR });
  await ask("POST /search", { query: "資金" });
  await ask("POST /nodes/batch", {
    items: [
      { ...LESSON, id: "n_x", created_at: made(2) },
      { ...LESSON, id: "n_y", created_at: made(0.5) },
    ],
  });
  await ask(`PATCH /nodes/${b}`, { content_title: "Trend" });
  const { id } = await ask("POST /clusters", { name: "Perpetuals" });
  await client.ask(`POST /clusters/${id}/members`, { node_id: a });
  await ask("POST /search", { query: "funding", cluster_ids: [id].slice(1) });
  await ask(`DELETE /nodes/${c}`);
  await ask(`GET /nodes/${c}`);
  await ask("GET /nodes?limit=10");
  await ask("GET /graph");
  await ask("POST /decay", {});
  await ask("POST /consolidate", {});
  await ask("GET /health");
  return answers;
}
