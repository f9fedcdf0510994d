// js/server/src/client/routes.ts
var ROUTES = { "checkSimilar": { "method": "POST", "path": "/v1/nodes/check-similar", "hasBody": true, "hasQuery": false }, "backfillEmbeddings": { "method": "POST", "path": "/v1/nodes/backfill-embeddings", "hasBody": false, "hasQuery": false }, "createNode": { "method": "POST", "path": "/v1/nodes", "hasBody": true, "hasQuery": false }, "listNodes": { "method": "GET", "path": "/v1/nodes", "hasBody": false, "hasQuery": true }, "readNode": { "method": "GET", "path": "/v1/nodes/{id}", "hasBody": false, "hasQuery": true }, "updateNode": { "method": "PATCH", "path": "/v1/nodes/{id}", "hasBody": true, "hasQuery": false }, "deleteNode": { "method": "DELETE", "path": "/v1/nodes/{id}", "hasBody": false, "hasQuery": false }, "createEdge": { "method": "POST", "path": "/v1/edges", "hasBody": true, "hasQuery": false }, "listEdges": { "method": "GET", "path": "/v1/edges", "hasBody": false, "hasQuery": true }, "strengthenEdge": { "method": "POST", "path": "/v1/edges/{id}/strengthen", "hasBody": true, "hasQuery": false }, "deleteEdge": { "method": "DELETE", "path": "/v1/edges/{id}", "hasBody": false, "hasQuery": false }, "search": { "method": "POST", "path": "/v1/search", "hasBody": true, "hasQuery": false }, "health": { "method": "GET", "path": "/v1/health", "hasBody": false, "hasQuery": false }, "sweep": { "method": "POST", "path": "/v1/decay", "hasBody": true, "hasQuery": false }, "graph": { "method": "GET", "path": "/v1/graph", "hasBody": false, "hasQuery": true }, "matchPlaybooks": { "method": "POST", "path": "/v1/playbooks/match", "hasBody": true, "hasQuery": false }, "countOutcome": { "method": "POST", "path": "/v1/playbooks/outcome", "hasBody": true, "hasQuery": false }, "retrieve": { "method": "POST", "path": "/v1/retrieve", "hasBody": true, "hasQuery": false }, "contextLines": { "method": "POST", "path": "/v1/context/lines", "hasBody": true, "hasQuery": false }, "buildContext": { "method": "POST", "path": "/v1/context", "hasBody": true, "hasQuery": false }, "giveFeedback": { "method": "POST", "path": "/v1/context/feedback", "hasBody": true, "hasQuery": false }, "expandMemory": { "method": "GET", "path": "/v1/context/expand", "hasBody": false, "hasQuery": true }, "consolidate": { "method": "POST", "path": "/v1/consolidate", "hasBody": true, "hasQuery": false }, "purgeNode": { "method": "POST", "path": "/v1/nodes/{id}/purge", "hasBody": false, "hasQuery": false }, "createNodes": { "method": "POST", "path": "/v1/nodes/batch", "hasBody": true, "hasQuery": false }, "readNodes": { "method": "POST", "path": "/v1/nodes/batch-get", "hasBody": true, "hasQuery": false }, "createEdges": { "method": "POST", "path": "/v1/edges/batch", "hasBody": true, "hasQuery": false }, "createCluster": { "method": "POST", "path": "/v1/clusters", "hasBody": true, "hasQuery": false }, "listClusters": { "method": "GET", "path": "/v1/clusters", "hasBody": false, "hasQuery": true }, "readCluster": { "method": "GET", "path": "/v1/clusters/{id}", "hasBody": false, "hasQuery": false }, "updateCluster": { "method": "PATCH", "path": "/v1/clusters/{id}", "hasBody": true, "hasQuery": false }, "deleteCluster": { "method": "DELETE", "path": "/v1/clusters/{id}", "hasBody": false, "hasQuery": false }, "addMember": { "method": "POST", "path": "/v1/clusters/{id}/members", "hasBody": true, "hasQuery": false }, "listMembers": { "method": "GET", "path": "/v1/clusters/{id}/members", "hasBody": false, "hasQuery": true }, "removeMember": { "method": "DELETE", "path": "/v1/clusters/{id}/members/{node_id}", "hasBody": false, "hasQuery": false }, "clusterHealth": { "method": "GET", "path": "/v1/clusters/{id}/health", "hasBody": false, "hasQuery": false }, "detectContradiction": { "method": "POST", "path": "/v1/contradiction/detect", "hasBody": true, "hasQuery": false }, "listConflicts": { "method": "GET", "path": "/v1/contradiction/queue", "hasBody": false, "hasQuery": true }, "queueConflict": { "method": "POST", "path": "/v1/contradiction/queue", "hasBody": true, "hasQuery": false }, "resolveConflict": { "method": "POST", "path": "/v1/contradiction/resolve", "hasBody": true, "hasQuery": false }, "resolveConflicts": { "method": "POST", "path": "/v1/contradiction/batch-resolve", "hasBody": true, "hasQuery": false }, "classifyQuery": { "method": "POST", "path": "/v1/classify-query", "hasBody": true, "hasQuery": false }, "memoryGuidance": { "method": "GET", "path": "/v1/context/guidance", "hasBody": false, "hasQuery": false }, "listAgents": { "method": "GET", "path": "/v1/agents", "hasBody": false, "hasQuery": true }, "deleteAgent": { "method": "DELETE", "path": "/v1/agents/{agent}", "hasBody": false, "hasQuery": false } };

// js/server/src/client/client.ts
var NousRequestError = class extends Error {
  constructor(message, status, issues = [], options) {
    super(message, options);
    this.status = status;
    this.issues = issues;
  }
  status;
  issues;
  name = "NousRequestError";
};
var USUAL_TIMEOUT = 3e4;
var Client = class {
  #baseUrl;
  #headers;
  #fetch;
  #timeoutMs;
  constructor({ baseUrl, agent, key, fetch = globalThis.fetch, timeoutMs = USUAL_TIMEOUT }) {
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#headers = {
      "x-nous-agent": headerOf(agent),
      ...key === void 0 ? {} : { authorization: `Bearer ${checkKey(key)}` }
    };
    this.#fetch = fetch;
    this.#timeoutMs = timeoutMs;
    for (const [name, route] of Object.entries(ROUTES)) {
      Object.defineProperty(this, name, { value: (...given) => this.#ask(name, route, given) });
    }
  }
  async #ask(name, route, given) {
    const rest = [...given];
    const path = route.path.replace(/\{\w+\}/g, () => segmentOf(name, rest.shift()));
    const body = route.hasBody ? rest.shift() ?? {} : void 0;
    const query = route.hasQuery ? queryOf(rest.shift()) : "";
    const headers = {
      ...this.#headers,
      ...body === void 0 ? {} : { "content-type": "application/json" }
    };
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const fetch = this.#fetch;
    try {
      const init = {
        method: route.method,
        headers,
        signal,
        ...body === void 0 ? {} : { body: JSON.stringify(body) }
      };
      const response = await fetch(`${this.#baseUrl}${path}${query}`, init);
      return answerOf(response.status, await response.text());
    } catch (error) {
      if (error instanceof NousRequestError) throw error;
      const why = signal.aborted ? `no answer came within ${this.#timeoutMs} ms` : "the server could not be asked";
      throw new NousRequestError(why, null, [], { cause: error });
    }
  }
};
function answerOf(status, text) {
  const isGood = status >= 200 && status < 300;
  let answer;
  try {
    answer = JSON.parse(text);
  } catch (error2) {
    throw new NousRequestError(`the answer, with status ${status}, is not JSON`, status, [], { cause: error2 });
  }
  if (isGood) return answer;
  const { error = `the answer has status ${status}`, issues = [] } = answer ?? {};
  const places = issues.map(({ path, message }) => path === "" ? message : `${path} ${message}`);
  throw new NousRequestError([error, ...places].join("; "), status, issues);
}
function segmentOf(operation, part) {
  if (typeof part !== "string" || /^\.{0,2}$/.test(part)) throw new TypeError(`${operation}: ${part} is no id`);
  return encodeURIComponent(part);
}
function queryOf(given) {
  const entries = Object.entries(given ?? {}).filter(([, value]) => value !== void 0);
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries.map(([key, value]) => [key, String(value)]))}`;
}
function checkKey(key) {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError("key must be of printable ASCII characters, without blanks");
  return key;
}
var headerOf = (agent) => String.fromCharCode(...new TextEncoder().encode(agent));
var NousClient = Client;
export {
  NousClient,
  NousRequestError
};
