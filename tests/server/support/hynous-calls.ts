// Calls of Hynous' Python client to its Nous server, and the expected answers: a table of calls, in
// order. Later calls use names that earlier ones stored.

export interface HttpRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

type Arguments = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: arguments of many kinds, odd ones among them
type Method = (given: any) => HttpRequest;

/** The given fields; the client leaves out fields that are None. */
const given = (fields: Arguments): Arguments =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
/** The given fields that are not empty. */
const filled = (fields: Arguments): Arguments =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value));

const get = (path: string, query: Arguments = {}): HttpRequest => ({ method: "GET", path, query });
const post = (path: string, body?: unknown): HttpRequest => ({ method: "POST", path, body });
const search: Method = ({ query, limit = 10, ...filters }) =>
  post("/search", { query, limit, ...filled(filters) });

/** Each method of the client, as the request that it sends. */
export const METHODS = {
  health: () => get("/health"),
  create_node: ({ type, subtype, title, body = null, summary = null, ...rest }) => {
    const { event_time, event_confidence, event_source, neural_stability } = rest;
    return post("/nodes", {
      ...{ type, subtype, content_title: title, content_body: body, content_summary: summary },
      ...filled({ temporal_event_time: event_time, temporal_event_source: event_source }),
      ...given({ temporal_event_confidence: event_confidence, neural_stability }),
    });
  },
  get_node: ({ id }) => get(`/nodes/${id}`),
  list_nodes: ({ limit = 50, ...filters }) => get("/nodes", { limit, ...filled(filters) }),
  update_node: ({ id, ...changes }) => ({ method: "PATCH", path: `/nodes/${id}`, body: changes }),
  delete_node: ({ id }) => ({ method: "DELETE", path: `/nodes/${id}` }),
  create_edge: (fields) => post("/edges", given(fields)),
  get_edges: ({ node_id, direction = "both" }) => get("/edges", { node_id, direction }),
  strengthen_edge: ({ id, amount = 0.05 }) => post(`/edges/${id}/strengthen`, { amount }),
  delete_edge: ({ id }) => ({ method: "DELETE", path: `/edges/${id}` }),
  get_graph: () => get("/graph"),
  get_conflicts: ({ status = "pending" }) => get("/contradiction/queue", { status }),
  resolve_conflict: (fields) => post("/contradiction/resolve", fields),
  batch_resolve_conflicts: ({ items }) => post("/contradiction/batch-resolve", { items }),
  run_decay: () => post("/decay"),
  backfill_embeddings: () => post("/nodes/backfill-embeddings"),
  search,
  search_full: search,
  check_similar: ({ content, title, subtype, limit = 5 }) =>
    post("/nodes/check-similar", { content, title, subtype, limit }),
  classify_query: ({ query }) => post("/classify-query", { query }),
  create_cluster: ({ name, pinned, auto_subtypes, ...texts }) =>
    post("/clusters", { name, ...given(texts), ...filled({ pinned, auto_subtypes }) }),
  list_clusters: () => get("/clusters"),
  get_cluster: ({ id }) => get(`/clusters/${id}`),
  update_cluster: ({ id, ...changes }) => ({
    method: "PATCH",
    path: `/clusters/${id}`,
    body: changes,
  }),
  delete_cluster: ({ id }) => ({ method: "DELETE", path: `/clusters/${id}` }),
  add_to_cluster: ({ id, node_id, node_ids }) =>
    post(`/clusters/${id}/members`, filled({ node_id, node_ids })),
  remove_from_cluster: ({ id, node_id }) => ({
    method: "DELETE",
    path: `/clusters/${id}/members/${node_id}`,
  }),
  get_cluster_members: ({ id, limit = 50 }) => get(`/clusters/${id}/members`, { limit }),
  get_cluster_health: ({ id }) => get(`/clusters/${id}/health`),
} satisfies Record<string, Method>;

export type MethodName = keyof typeof METHODS;

/**
 * A call and its expected answer: the status, and fields of the body that must have these values.
 */
export interface Call {
  method: MethodName;
  args: Arguments;
  status: number;
  /** `undefined` is a field that must be missing. Lists must have equal lengths. */
  answer: unknown;
  /** The name under which later calls refer to the answer. */
  as?: string | undefined;
}

/**
 * A text in which `$lesson` is the id of the earlier answer with that name, and `$queue.0` the id
 * of its first entry.
 */
export type Reference = `$${string}`;

/** A text that an answer must match; it may contain names of earlier answers. */
export class Matching {
  constructor(readonly pattern: string) {}
}
const like = (pattern: string) => new Matching(`^${pattern}$`);
const TIME = like("\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{3}Z)?");

const calls: Call[] = [];
function call(
  method: MethodName,
  args: Arguments,
  status: number,
  answer: unknown = {},
  as?: string,
): void {
  calls.push({ method, args, status, answer, as });
}

const LESSON = { type: "concept", subtype: "custom:lesson" };
const node = (as: string, title: string, fields: Arguments = {}, answer: object = {}) =>
  call(
    "create_node",
    { ...LESSON, title, ...fields },
    201,
    { content_title: title, ...answer },
    as,
  );
const OK = { ok: true };
const NONE = { data: [], count: 0 };

// ---- empty database -----------------------------------------------------------------------------

call("health", {}, 200, { status: "ok", node_count: 0, edge_count: 0, lifecycle: {} });
call("list_nodes", {}, 200, NONE);
call("list_clusters", {}, 200, NONE);
call("get_conflicts", {}, 200, NONE);
call("get_graph", {}, 200, {
  nodes: [],
  edges: [],
  clusters: [],
  memberships: [],
  count: { nodes: 0, edges: 0 },
});
call("run_decay", {}, 200, { ok: true, processed: 0, transitions_count: 0, transitions: [] });
call("backfill_embeddings", {}, 200, { ok: true, embedded: 0, total: 0 });
call("search", { query: "anything" }, 200, NONE);

// ---- memories -----------------------------------------------------------------------------------

node(
  "lesson",
  "Copper cycle",
  { body: "Copper leads industry." },
  {
    ...LESSON,
    id: like("n_.{12}"),
    content_body: "Copper leads industry.",
    content_summary: null,
    neural_stability: 90,
    neural_retrievability: 1,
    neural_difficulty: 0.3,
    neural_access_count: 0,
    neural_last_accessed: TIME,
    state_lifecycle: "ACTIVE",
    provenance_source: "agent",
    provenance_created_at: TIME,
    layer: "semantic",
    version: 1,
    last_modified: TIME,
    created_at: TIME,
    temporal_event_time: null,
    temporal_event_confidence: null,
    temporal_event_source: null,
    _contradiction_detected: undefined,
  },
);
for (const [subtype, neural_stability, neural_difficulty, memory_section] of [
  ["custom:watchpoint", 5, 0.4, "SIGNALS"],
  ["custom:curiosity", 14, 0.4, "KNOWLEDGE"],
  ["custom:thesis", 30, 0.4, "KNOWLEDGE"],
  ["custom:market_event", 10, 0.3, "EPISODIC"],
  ["custom:trade", 14, 0.3, "EPISODIC"],
  ["custom:signal", 2, 0.3, "SIGNALS"],
  ["custom:preference", 60, 0.1, "KNOWLEDGE"],
  ["custom:turn_summary", 7, 0.3, "EPISODIC"],
  ["custom:session_summary", 14, 0.2, "EPISODIC"],
  ["custom:trade_entry", 21, 0.4, "EPISODIC"],
  ["custom:playbook", 180, 0.4, "PROCEDURAL"],
] as const) {
  call(
    "create_node",
    { type: "concept", subtype, title: `A ${subtype}` },
    201,
    { neural_stability, neural_difficulty },
    subtype,
  );
  call("list_nodes", { subtype }, 200, { count: 1, data: [{ id: `$${subtype}`, memory_section }] });
  call("delete_node", { id: `$${subtype}` }, 200, OK);
}
call(
  "create_node",
  { type: "episode", subtype: null, title: "Plain episode" },
  201,
  {
    ...{ subtype: null, layer: "episode", neural_stability: 60, neural_difficulty: 0.3 },
  },
  "episode",
);
call(
  "create_node",
  { type: "note", subtype: "custom:unheard_of", title: "Odd kind" },
  201,
  { neural_stability: 60 },
  "odd kind",
);
const EVENT = {
  event_time: "2026-03-01T10:00:00.000Z",
  event_confidence: 0.8,
  event_source: "news",
};
node("event", "Dated", EVENT, {
  temporal_event_time: EVENT.event_time,
  temporal_event_confidence: 0.8,
  temporal_event_source: "news",
});
node("strong", "Strong one", { neural_stability: 33.5 }, { neural_stability: 33.5 });
node("zero", "No days", { neural_stability: 0 }, { neural_stability: 90 });
node("negative", "Negative days", { neural_stability: -4 }, { neural_stability: 90 });
node("text days", "Days as a text", { neural_stability: "4" }, { neural_stability: 90 });
node("undated", "Odd time", { event_time: "yesterday" }, { temporal_event_time: "yesterday" });
node("sure", "Very sure", { event_confidence: 7 }, { temporal_event_confidence: 7 });
node("blank", "  ", {});
node("empty body", "Empty body", { body: "" }, { content_body: "" });
call("create_node", { ...LESSON, title: 5 }, 201, { content_title: "5.0" }, "number");
call(
  "create_node",
  { ...LESSON, title: "Number as a text", body: 4.5 },
  201,
  { content_body: "4.5" },
  "number body",
);
call("create_node", { ...LESSON, title: "" }, 400);
call("create_node", { subtype: "custom:lesson", title: "No type" }, 400);
for (const id of [
  "zero",
  "negative",
  "text days",
  "sure",
  "blank",
  "empty body",
  "number",
  "number body",
  "odd kind",
]) {
  call("delete_node", { id: `$${id}` }, 200, OK);
}

call("get_node", { id: "$lesson" }, 200, {
  ...{
    id: "$lesson",
    neural_stability: 229.5,
    neural_retrievability: 1,
    neural_access_count: 1,
    neural_last_accessed: TIME,
  },
  ...{ state_lifecycle: "ACTIVE", memory_section: "KNOWLEDGE", version: 1 },
});
call("get_node", { id: "$lesson" }, 200, { neural_stability: 365, neural_access_count: 2 });
call("get_node", { id: "n_none" }, 404, { error: "not found" });
node("thesis", "Rates thesis", { subtype: "custom:thesis", neural_stability: 20 });
call("get_node", { id: "$thesis" }, 200, { neural_stability: 48, neural_difficulty: 0.4 });
call("get_node", { id: "$thesis" }, 200, { neural_stability: 115.2 });

node("playbook", "A plan", { subtype: "custom:playbook", neural_stability: 10 });
call("get_node", { id: "$playbook" }, 200, { neural_stability: 28, memory_section: "PROCEDURAL" });
call("get_node", { id: "$playbook" }, 200, { neural_stability: 78.4, neural_access_count: 2 });
call("delete_node", { id: "$playbook" }, 200, OK);

call("list_nodes", {}, 200, {
  count: 6,
  data: ["$thesis", "$undated", "$strong", "$event", "$episode", "$lesson"].map((id) => ({ id })),
});
call("list_nodes", { limit: 2 }, 200, { count: 2, data: [{ id: "$thesis" }, { id: "$undated" }] });
call("list_nodes", { limit: 0 }, 200, NONE);
call("list_nodes", { limit: -1 }, 200, { count: 6 });
call("list_nodes", { limit: 1000 }, 200, { count: 6 });
call("list_nodes", { type: "episode" }, 200, {
  count: 1,
  data: [{ id: "$episode", memory_section: "KNOWLEDGE" }],
});
call("list_nodes", { subtype: "custom:thesis", lifecycle: "ACTIVE" }, 200, {
  count: 1,
  data: [{ id: "$thesis" }],
});
call("list_nodes", { lifecycle: "WEAK" }, 200, NONE);
call("list_nodes", { lifecycle: "BOGUS" }, 200, NONE);
call("list_nodes", { created_after: "2999-01-01T00:00:00Z" }, 200, NONE);
call("list_nodes", { created_before: "2999-01-01T00:00:00Z" }, 200, { count: 6 });
call("list_nodes", { created_after: "soon" }, 200, NONE);
call("list_nodes", { created_before: "soon" }, 200, { count: 6 });

const BIT = {
  ...LESSON,
  content_title: "Copper and rates",
  content_summary: "s",
  content_body: "b",
};
call("update_node", { id: "$strong", ...BIT }, 200, {
  ...BIT,
  version: 2,
  last_modified: TIME,
  neural_access_count: 0,
});
call("update_node", { id: "$strong", content_body: null, nothing: 1 }, 200, {
  content_body: null,
  version: 3,
});
call("update_node", { id: "$strong", neural_stability: 12, neural_difficulty: 0.9 }, 200, {
  ...{
    neural_stability: 12,
    neural_difficulty: 0.9,
    neural_retrievability: 1,
    state_lifecycle: "ACTIVE",
  },
});
call("update_node", { id: "$strong", neural_stability: -3 }, 200, { neural_stability: -3 });
call("update_node", { id: "$strong", neural_retrievability: 2 }, 200, { neural_retrievability: 2 });
call("update_node", { id: "$strong", neural_difficulty: -1 }, 200, { neural_difficulty: -1 });
call("update_node", { id: "$strong", temporal_event_time: "soon" }, 200, {
  temporal_event_time: "soon",
});
call("update_node", { id: "$strong", state_lifecycle: "BOGUS" }, 200, {
  state_lifecycle: "BOGUS",
  version: 9,
});
call("list_nodes", { lifecycle: "BOGUS" }, 200, { count: 1, data: [{ id: "$strong" }] });
call("update_node", { id: "$strong", content_title: "" }, 200, { content_title: "" });
call("update_node", { id: "$strong", nothing: 1 }, 400);
call("update_node", { id: "n_none", content_body: "b" }, 404);
call("delete_node", { id: "$strong" }, 200, OK);
call("get_node", { id: "$strong" }, 404);
call("delete_node", { id: "$strong" }, 200, OK);
call("delete_node", { id: "n_none" }, 200, OK);
call("update_node", { id: "$strong", content_body: "b" }, 404);

// ---- edges --------------------------------------------------------------------------------------

const ENDS = { source_id: "$lesson", target_id: "$thesis" };
for (const [type, strength] of [
  ...[
    ["relates_to", 0.5],
    ["part_of", 0.85],
    ["causes", 0.8],
    ["precedes", 0.4],
    ["similar_to", 0.45],
  ],
  ...[
    ["mentioned_in", 0.6],
    ["supersedes", 0.5],
    ["generalizes", 0.7],
    ["applied_to", 0.75],
    ["unheard_of", 0.5],
  ],
] as [string, number][]) {
  call(
    "create_edge",
    { ...ENDS, type },
    201,
    { ...ENDS, type, strength, neural_weight: strength, confidence: 1 },
    type,
  );
}
call(
  "create_edge",
  { ...ENDS, type: "causes", strength: 0.3 },
  201,
  { strength: 0.3, neural_weight: 0.3, created_at: TIME },
  "edge",
);
call(
  "create_edge",
  { ...ENDS, type: "causes", strength: 3 },
  201,
  { strength: 3, neural_weight: 3 },
  "strong edge",
);
call("create_edge", { ...ENDS, type: "causes", strength: -1 }, 201, { strength: -1 }, "weak edge");
call(
  "create_edge",
  { source_id: "$lesson", target_id: "$lesson", type: "causes" },
  201,
  {},
  "loop",
);
call("create_edge", { source_id: "$lesson", target_id: "", type: "causes" }, 400);
call("create_edge", { source_id: "$lesson", type: "causes" }, 400);
call("get_edges", { node_id: "$thesis" }, 200, { count: 13 });
call("get_edges", { node_id: "$thesis", direction: "in" }, 200, { count: 13 });
call("get_edges", { node_id: "$thesis", direction: "out" }, 200, NONE);
call("get_edges", { node_id: "$lesson", direction: "out" }, 200, { count: 14 });
call("get_edges", { node_id: "$thesis", direction: "sideways" }, 200, { count: 13 });
call(
  "create_edge",
  { source_id: "$episode", target_id: "$lesson", type: "causes" },
  201,
  {},
  "to lesson",
);
call(
  "create_edge",
  { source_id: "$lesson", target_id: "$event", type: "causes" },
  201,
  {},
  "from lesson",
);
call(
  "create_edge",
  { source_id: "$lesson", target_id: "$episode", type: "causes" },
  201,
  {},
  "back",
);
call("get_edges", { node_id: "$episode" }, 200, { data: [{ id: "$to lesson" }, { id: "$back" }] });
call("delete_edge", { id: "$to lesson" }, 200, OK);
call(
  "create_edge",
  { source_id: "$episode", target_id: "$lesson", type: "causes" },
  201,
  {},
  "to lesson",
);
call("get_edges", { node_id: "$episode" }, 200, { data: [{ id: "$to lesson" }, { id: "$back" }] });
call("get_edges", { node_id: "$event" }, 200, { data: [{ id: "$from lesson" }] });
for (const id of ["$to lesson", "$from lesson", "$back"]) call("delete_edge", { id }, 200, OK);
call("get_edges", { node_id: "n_none" }, 200, NONE);
call("get_edges", { node_id: "" }, 400);
call("strengthen_edge", { id: "$edge" }, 200, { id: "$edge", strength: 0.35, neural_weight: 0.35 });
call("strengthen_edge", { id: "$edge", amount: 0.5 }, 200, { strength: 0.85, neural_weight: 0.85 });
call("strengthen_edge", { id: "$edge", amount: 1 }, 200, { strength: 1, neural_weight: 1 });
call("strengthen_edge", { id: "$edge", amount: -0.25 }, 200, {
  strength: 0.75,
  neural_weight: 0.75,
});
call("strengthen_edge", { id: "$edge", amount: -5 }, 200, {
  strength: -4.25,
  neural_weight: -4.25,
});
call("strengthen_edge", { id: "e_none" }, 404, { error: "not found" });
for (const id of ["$strong edge", "$weak edge", "$loop", "$unheard_of"])
  call("delete_edge", { id }, 200, OK);
call("delete_edge", { id: "$loop" }, 200, OK);
call("delete_edge", { id: "e_none" }, 200, OK);
call("get_edges", { node_id: "$lesson" }, 200, { count: 10 });
call("health", {}, 200, { node_count: 5, edge_count: 10, lifecycle: { ACTIVE: 5 } });

// ---- clusters -----------------------------------------------------------------------------------

call(
  "create_cluster",
  { name: "Metals" },
  201,
  {
    ...{
      id: like(".+_.{12}"),
      name: "Metals",
      description: null,
      icon: null,
      pinned: 0,
      source: "user_created",
    },
    ...{ auto_subtypes: null, created_at: TIME },
  },
  "metals",
);
call(
  "create_cluster",
  { name: "Pinned", description: "d", icon: "🪙", pinned: true, auto_subtypes: ["custom:lesson"] },
  201,
  {
    ...{ description: "d", icon: "🪙", pinned: 1, auto_subtypes: ["custom:lesson"] },
  },
  "pinned",
);
call(
  "create_cluster",
  { name: "Later", pinned: "yes", auto_subtypes: "custom:lesson" },
  201,
  { pinned: 1, auto_subtypes: null },
  "later",
);
call("create_cluster", { name: "Last" }, 201, { pinned: 0 }, "last");
call("create_cluster", { name: "" }, 400);
call("create_cluster", { name: 5 }, 400);
call("list_clusters", {}, 200, {
  count: 4,
  data: [
    { id: "$later", pinned: 1, node_count: 0 },
    { id: "$pinned", pinned: 1, auto_subtypes: ["custom:lesson"] },
    { id: "$last", pinned: 0 },
    { id: "$metals", auto_subtypes: null, source: "user_created" },
  ],
});
call("get_cluster", { id: "$metals" }, 200, {
  id: "$metals",
  name: "Metals",
  node_count: 0,
  pinned: 0,
});
call("get_cluster", { id: "c_none" }, 404, { error: "not found" });
call("update_cluster", { id: "$later", pinned: false, name: "Never" }, 200, {
  pinned: 0,
  name: "Never",
  auto_subtypes: null,
});
call("update_cluster", { id: "$later", pinned: "x" }, 200, { pinned: 1, name: "Never" });
call("update_cluster", { id: "$later", auto_subtypes: ["custom:trade"] }, 200, {
  auto_subtypes: ["custom:trade"],
  pinned: 1,
});
call("update_cluster", { id: "$later", description: "d" }, 200, {
  auto_subtypes: ["custom:trade"],
  description: "d",
});
call("update_cluster", { id: "$later", auto_subtypes: "x", description: null }, 200, {
  auto_subtypes: null,
  description: null,
});
call("update_cluster", { id: "$later", name: "" }, 200, { name: "" });
call("update_cluster", { id: "$later" }, 400);
call("update_cluster", { id: "$later", nothing: 1 }, 400);
call("update_cluster", { id: "c_none", name: "x" }, 404);

// The client puts memories into clusters by their subtypes, and the server does not.
node("zinc", "Zinc supply");
call("get_cluster_members", { id: "$pinned" }, 200, NONE);
call("add_to_cluster", { id: "$metals", node_id: "$lesson" }, 200, {
  ok: true,
  added: 1,
  cluster_id: "$metals",
});
call("add_to_cluster", { id: "$metals", node_ids: ["$zinc"] }, 200, {
  ok: true,
  added: 1,
  cluster_id: "$metals",
});
call("add_to_cluster", { id: "$metals", node_ids: ["$lesson", "$zinc"] }, 200, {
  ok: true,
  added: 2,
});
call("add_to_cluster", { id: "$metals", node_id: "$lesson", node_ids: ["$thesis"] }, 200, {
  ok: true,
  added: 1,
});
call("add_to_cluster", { id: "$metals", node_ids: ["$zinc", "$zinc"] }, 200, { added: 2 });
call("add_to_cluster", { id: "$metals" }, 400);
call("add_to_cluster", { id: "$metals", node_ids: [] }, 400);
call("add_to_cluster", { id: "c_none", node_id: "$lesson" }, 404);
call("list_clusters", {}, 200, {
  data: [{}, {}, { node_count: 0 }, { id: "$metals", node_count: 3 }],
});
call("get_cluster", { id: "$metals" }, 200, { node_count: 3 });
call("get_cluster_members", { id: "$metals" }, 200, {
  count: 3,
  data: [
    {
      id: "$thesis",
      memory_section: "KNOWLEDGE",
      membership_weight: 1,
      membership_updated_at: TIME,
    },
    {
      id: "$zinc",
      content_title: "Zinc supply",
      state_lifecycle: "ACTIVE",
      neural_access_count: 0,
    },
    { id: "$lesson", neural_access_count: 2, neural_stability: 365 },
  ],
});
call("get_cluster_members", { id: "$metals", limit: 1 }, 200, {
  count: 1,
  data: [{ id: "$thesis" }],
});
call("get_cluster_members", { id: "$metals", limit: 0 }, 200, NONE);
call("get_cluster_members", { id: "$metals", limit: -1 }, 200, { count: 3 });
call("get_cluster_members", { id: "c_none" }, 200, NONE);
call("get_cluster_health", { id: "$metals" }, 200, {
  ...{
    cluster_id: "$metals",
    name: "Metals",
    total_nodes: 3,
    active_nodes: 3,
    weak_nodes: 0,
    dormant_nodes: 0,
  },
  health_ratio: 1,
});
call("update_node", { id: "$thesis", state_lifecycle: "DORMANT" }, 200, {
  state_lifecycle: "DORMANT",
});
call("get_cluster_health", { id: "$metals" }, 200, {
  active_nodes: 2,
  dormant_nodes: 1,
  health_ratio: 0.6667,
});
call("get_cluster_health", { id: "$last" }, 200, { total_nodes: 0, health_ratio: 0 });
call("get_cluster_health", { id: "c_none" }, 404);
call("remove_from_cluster", { id: "$metals", node_id: "$lesson" }, 200, OK);
call("remove_from_cluster", { id: "$metals", node_id: "$lesson" }, 200, OK);
call("remove_from_cluster", { id: "c_none", node_id: "n_none" }, 200, OK);
call("get_cluster", { id: "$metals" }, 200, { node_count: 2 });
for (const id of ["$later", "$last", "$pinned", "$last", "c_none"])
  call("delete_cluster", { id }, 200, OK);
call("list_clusters", {}, 200, { count: 1 });

// ---- states -------------------------------------------------------------------------------------

call("list_nodes", { lifecycle: "DORMANT" }, 200, {
  count: 1,
  data: [{ id: "$thesis", state_lifecycle: "ACTIVE" }],
});
call("get_node", { id: "$thesis" }, 200, { state_lifecycle: "DORMANT", neural_access_count: 3 });
call("health", {}, 200, { lifecycle: { ACTIVE: 5, DORMANT: 1 } });
node("archived", "Archived by hand");
call("update_node", { id: "$archived", state_lifecycle: "ARCHIVE" }, 200, {
  state_lifecycle: "ARCHIVE",
});
node("faded", "Faded one", { subtype: null });
call("update_node", { id: "$faded", neural_stability: 1e-12 }, 200, { neural_stability: 1e-12 });
call("list_nodes", { lifecycle: "ARCHIVE" }, 200, {
  count: 1,
  data: [{ id: "$archived", state_lifecycle: "ACTIVE" }],
});
call("list_nodes", { limit: 1 }, 200, {
  data: [{ id: "$faded", state_lifecycle: "DORMANT", neural_retrievability: 0 }],
});
call("list_nodes", { lifecycle: "ACTIVE" }, 200, { count: 6 });
call("health", {}, 200, { lifecycle: { ACTIVE: 6, DORMANT: 1, ARCHIVE: 1 } });
call("run_decay", {}, 200, { ok: true, processed: 7, transitions_count: 2 }, "sweep");
call("run_decay", {}, 200, { processed: 7, transitions_count: 0, transitions: [] });
call("health", {}, 200, { lifecycle: { ACTIVE: 6, DORMANT: 1, ARCHIVE: 1 } });
call("list_nodes", { lifecycle: "DORMANT" }, 200, { count: 1, data: [{ id: "$faded" }] });
call("get_node", { id: "$thesis" }, 200, { state_lifecycle: "ACTIVE" });
call("get_node", { id: "$faded" }, 200, { state_lifecycle: "DORMANT", neural_retrievability: 0 });
call("update_node", { id: "$thesis", state_lifecycle: "DORMANT" }, 200);
call("run_decay", {}, 200, {
  ...{ processed: 7, transitions_count: 1 },
  transitions: [{ id: "$thesis", from: "DORMANT", to: "ACTIVE", subtype: "custom:thesis" }],
});
call("update_node", { id: "$faded", neural_stability: 60, state_lifecycle: "ACTIVE" }, 200);
call("update_node", { id: "$faded", state_lifecycle: "DORMANT" }, 200);
call("run_decay", {}, 200, {
  transitions: [{ id: "$faded", from: "DORMANT", to: "ACTIVE", subtype: "unknown" }],
});
call("get_node", { id: "$archived" }, 200, { state_lifecycle: "ACTIVE", neural_stability: 229.5 });
call("delete_node", { id: "$faded" }, 200, OK);
call("delete_node", { id: "$archived" }, 200, OK);

// ---- conflicts ----------------------------------------------------------------------------------

const WRONG = "I was wrong: the mine is open.";
node(
  "mine",
  "Tin mine status",
  { body: "The mine is closed." },
  { _contradiction_detected: undefined },
);
node("mine again", "Tin mine status update", { body: WRONG }, { _contradiction_detected: true });
call(
  "get_conflicts",
  {},
  200,
  {
    count: 1,
    data: [
      {
        ...{
          old_node_id: "$mine",
          new_node_id: "$mine again",
          new_content: WRONG,
          conflict_type: "AMBIGUOUS",
        },
        ...{
          detection_tier: "PATTERN",
          detection_confidence: 0.6,
          entity_name: null,
          topic: null,
          status: "pending",
        },
        ...{ created_at: TIME, expires_at: TIME, resolution: null, resolved_at: null },
      },
    ],
  },
  "first",
);
// Phrases match within words, and only words of the body count.
node(
  "within",
  "Tin mine status is known",
  { body: "factually it is open now" },
  { _contradiction_detected: true },
);
node(
  "title alone",
  "Correction: Tin mine",
  { body: "It is open." },
  { _contradiction_detected: undefined },
);
node("no body", "Tin mine correction: open", {}, { _contradiction_detected: true });
node(
  "denied",
  "Tin mine status denied",
  { body: "I actually enjoyed it" },
  { _contradiction_detected: undefined },
);
node(
  "unsure",
  "Tin mine status unsure",
  { body: "I actually enjoyed it now" },
  { _contradiction_detected: true },
);
call(
  "get_conflicts",
  {},
  200,
  {
    count: 6,
    data: [
      { id: "$first.0" },
      { new_node_id: "$within", detection_confidence: 0.7 },
      { new_node_id: "$within" },
      { new_node_id: "$unsure", detection_confidence: 0.39999999999999997 },
      { new_node_id: "$unsure" },
      { new_node_id: "$unsure" },
    ],
  },
  "queue",
);
call("get_conflicts", { status: "resolved" }, 200, NONE);
call("get_conflicts", { status: "odd" }, 200, NONE);
call("resolve_conflict", { conflict_id: "$first.0", resolution: "new_is_current" }, 200, {
  ...{
    ok: true,
    conflict_id: "$first.0",
    resolution: "new_is_current",
    old_node_id: "$mine",
    new_node_id: "$mine again",
  },
  actions: [like("Old node $mine → DORMANT"), like("Edge e_.{12}: $mine again supersedes $mine")],
  resolved_at: TIME,
});
call("get_edges", { node_id: "$mine" }, 200, {
  data: [
    {
      source_id: "$mine again",
      target_id: "$mine",
      type: "supersedes",
      strength: 0.5,
      neural_weight: 0.5,
      confidence: 1,
    },
  ],
});
call("get_node", { id: "$mine" }, 200, { state_lifecycle: "DORMANT" });
call("get_conflicts", {}, 200, { count: 5 });
call("get_conflicts", { status: "resolved" }, 200, {
  count: 1,
  data: [
    {
      id: "$first.0",
      status: "resolved",
      resolution: "new_is_current",
      resolved_at: TIME,
      new_content: WRONG,
    },
  ],
});
call("resolve_conflict", { conflict_id: "$first.0", resolution: "keep_both" }, 200, {
  actions: [like("Edge e_.{12}: $mine relates_to $mine again")],
});
call("resolve_conflict", { conflict_id: "q_none", resolution: "merge" }, 404);
call("resolve_conflict", { conflict_id: "$first.0" }, 400);
call(
  "batch_resolve_conflicts",
  {
    items: [
      { conflict_id: "$queue.1", resolution: "old_is_current" },
      { conflict_id: "q_none", resolution: "merge" },
      { conflict_id: "$queue.2", resolution: "odd" },
      { resolution: "merge" },
      { conflict_id: "$queue.2" },
      { conflict_id: "$queue.2", resolution: "keep_both" },
      { conflict_id: "$queue.3", resolution: "keep_both" },
    ],
  },
  200,
  {
    ...{ ok: true, resolved: 3, failed: 4, total: 7 },
    results: [
      {
        ok: true,
        conflict_id: "$queue.1",
        actions: [like("New node $within → DORMANT"), like("Edge e_.{12}: .+ supersedes $within")],
      },
      {
        ...{
          ok: false,
          conflict_id: "q_none",
          resolution: "merge",
          old_node_id: "",
          new_node_id: null,
          actions: [],
        },
        ...{ resolved_at: "", error: "Conflict q_none not found" },
      },
      {
        ...{ ok: false, conflict_id: "$queue.2", resolution: "odd", old_node_id: "", actions: [] },
        error: "Invalid resolution: odd",
      },
      {
        ok: false,
        conflict_id: "?",
        error: "missing conflict_id or resolution",
        resolution: undefined,
      },
      { ok: false, conflict_id: "$queue.2", error: "missing conflict_id or resolution" },
      { ok: true, conflict_id: "$queue.2", resolution: "keep_both", resolved_at: TIME },
      { ok: true, new_node_id: "$unsure", actions: [like("Edge e_.{12}: .+ relates_to $unsure")] },
    ],
  },
);
call("get_conflicts", {}, 200, { count: 2 });
call("batch_resolve_conflicts", { items: [] }, 400);
call(
  "batch_resolve_conflicts",
  { items: Array(51).fill({ conflict_id: "q_none", resolution: "merge" }) },
  400,
);
node("merged", "Lead smelter report", { body: "Output fell." });
node(
  "merging",
  "Lead smelter report",
  { body: "Correction: output rose." },
  { _contradiction_detected: true },
);
call("get_conflicts", {}, 200, { count: 3 }, "third");
call("resolve_conflict", { conflict_id: "$third.2", resolution: "merge" }, 200, {
  old_node_id: "$merged",
});
call("get_node", { id: "$merged" }, 200, {
  content_body: like(
    "Output fell\\.\\n\\n--- Merged \\(\\d{4}-\\d\\d-\\d\\d\\) ---\\n\\nCorrection: output rose\\.",
  ),
  version: 2,
});

// ---- searches -----------------------------------------------------------------------------------

const FOUND = {
  ...{
    id: "$zinc",
    content_title: "Zinc supply",
    memory_section: "KNOWLEDGE",
    state_lifecycle: "ACTIVE",
  },
  ...{ score: like("\\d.*"), primary_signal: like("\\w+"), breakdown: { semantic: 0, keyword: 1 } },
};
call("search", { query: "Zinc" }, 200, { count: 1, data: [FOUND] });
call("search_full", { query: "Zinc", limit: 1 }, 200, {
  data: [{ id: "$zinc", neural_access_count: 1 }],
  qcs: {
    query_type: "AMBIGUOUS",
    confidence: 0.3,
    disqualified: false,
    disqualifier_category: null,
    ssa_multiplier: 3,
  },
});
call("search", { query: "Zinc", limit: 0 }, 200, NONE);
call("search", { query: "Zinc", limit: "3" }, 200, { count: 1 });
call("search", { query: "nowhere" }, 200, NONE);
call("search", { query: "" }, 400);
call("search", { query: "Zinc", type: "episode" }, 200, NONE);
call("search", { query: "Zinc", subtype: "custom:lesson", lifecycle: "ACTIVE" }, 200, { count: 1 });
call("search", { query: "Zinc", lifecycle: "WEAK" }, 200, NONE);
call("search", { query: "Zinc", lifecycle: "BOGUS" }, 200, NONE);
call("search", { query: "Zinc", cluster_ids: ["c_none"] }, 200, NONE);
call("search", { query: "Zinc", cluster_ids: ["$metals"] }, 200, { count: 1 });
const LONG = { start: "2020-01-01T00:00:00Z", end: "2999-01-01T00:00:00Z" };
call("search", { query: "Zinc", time_range: { ...LONG, type: "ingestion" } }, 200, { count: 1 });
call("search", { query: "Zinc", time_range: { ...LONG, type: "event" } }, 200, NONE);
call("search", { query: "Zinc", time_range: { ...LONG, type: "odd" } }, 200, NONE);
call("search", { query: "Zinc", time_range: { start: "2999-01-01" } }, 200, { count: 1 });
call("search", { query: "Zinc", time_range: { start: "soon", end: "later" } }, 200, NONE);
call("classify_query", { query: "why did zinc fall" }, 200, {
  ...{
    query: "why did zinc fall",
    disqualified: true,
    disqualifier_category: "D1",
    query_type: "LOOKUP",
    confidence: 0.5,
  },
});
call("classify_query", { query: "Zinc" }, 200, {
  disqualified: false,
  query_type: "AMBIGUOUS",
  entity: null,
  attribute: null,
});
call("classify_query", { query: "" }, 400);
call("backfill_embeddings", {}, 200, { ok: true, embedded: 0 });

// ---- the whole database -------------------------------------------------------------------------

call(
  "get_graph",
  {},
  200,
  {
    clusters: [{ id: "$metals", name: "Metals", icon: null, pinned: false }],
    memberships: [
      { cluster_id: "$metals", node_id: "$zinc", weight: 1 },
      { cluster_id: "$metals", node_id: "$thesis", weight: 1 },
    ],
  },
  "graph",
);
call("delete_cluster", { id: "$metals" }, 200, OK);
call("delete_node", { id: "$lesson" }, 200, OK);
call("get_edges", { node_id: "$thesis" }, 200, NONE);

export const CALLS: readonly Call[] = calls;

/**
 * Calls that this server answers and Hynous' server fails: without a provider, this server compares
 * words.
 */
export const BEYOND: readonly Call[] = [
  {
    method: "check_similar",
    args: { content: "", title: "Zinc supply", subtype: "custom:lesson" },
    status: 400,
    answer: {},
  },
  {
    method: "check_similar",
    args: { content: "Zinc supply", title: "Zinc supply", subtype: "custom:lesson" },
    status: 200,
    answer: {
      matches: [
        {
          node_id: "$zinc",
          title: "Zinc supply",
          similarity: 1,
          action: "duplicate",
          lifecycle: "ACTIVE",
        },
      ],
    },
  },
  {
    method: "check_similar",
    args: { content: "Zinc supply", title: "Zinc supply", subtype: "custom:thesis", limit: 1 },
    status: 200,
    answer: { matches: [], recommendation: "unique" },
  },
  {
    method: "create_edge",
    args: { source_id: "$zinc", target_id: "n_none", type: "causes" },
    status: 404,
    answer: { issues: [{ path: "target_id" }] },
  },
  {
    method: "resolve_conflict",
    args: { conflict_id: "$first.0", resolution: "odd" },
    status: 400,
    answer: { issues: [{ path: "resolution" }] },
  },
  {
    method: "list_nodes",
    args: { limit: "many" },
    status: 400,
    answer: { issues: [{ path: "limit" }] },
  },
];
