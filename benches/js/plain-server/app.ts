// The plain server's routes. zod validates the bodies, and the memory does the work.

import { type Context, Hono } from "hono";
import { z } from "zod";
import type { PlainMemory } from "./memory.ts";
import { edgesOf, listing, newEdge, newNode, question } from "./requests.ts";

export function createApp(memory: PlainMemory): Hono {
  const app = new Hono();
  app.onError((error, context) => {
    if (error instanceof z.ZodError)
      return context.json({ error: "the request is not valid", issues: error.issues }, 400);
    return context.json({ error: "internal error" }, 500);
  });
  const api = app.basePath("/v1");
  api.get("/health", (context) => context.json(memory.health()));
  api.post("/nodes", async (context) =>
    context.json(memory.create(await bodyOf(context, newNode)), 201),
  );
  api.get("/nodes", (context) => {
    const { type = null, subtype = null, limit } = listing.parse(context.req.query());
    return context.json(memory.list(type, subtype, limit));
  });
  api.get("/nodes/:id", (context) => {
    const node = memory.read(context.req.param("id"));
    return node === undefined ? context.json({ error: "not found" }, 404) : context.json(node);
  });
  api.post("/edges", async (context) => {
    const edge = await bodyOf(context, newEdge);
    const ends = new Set([edge.source_id, edge.target_id]);
    const isThere = memory.store.nodes([...ends]).length === ends.size;
    return isThere
      ? context.json(memory.link(edge), 201)
      : context.json({ error: "not found" }, 404);
  });
  api.get("/edges", (context) => {
    const { node_id, direction } = edgesOf.parse(context.req.query());
    return context.json(memory.edges(node_id, direction));
  });
  api.post("/search", async (context) => {
    return context.json(memory.search(await bodyOf(context, question)));
  });
  api.post("/decay", (context) => context.json(memory.sweep()));
  return app;
}

async function bodyOf<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  return schema.parse(await context.req.json());
}
