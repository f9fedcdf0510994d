"""A Python client, written from the OpenAPI description only, like the client of an agent in another language.

    client.py BASE_URL

Makes every call of the server and checks every field; ends with an AssertionError at the first wrong one.
Prints its calls as JSON. Uses `requests` if that is installed, else the standard library.
"""

import json
import re
import sys
from urllib.parse import urlencode

NODE = {
    "id", "type", "subtype", "content_title", "content_summary", "content_body", "neural_stability",
    "neural_retrievability", "neural_difficulty", "neural_access_count", "neural_last_accessed", "state_lifecycle",
    "provenance_source", "provenance_created_at", "layer", "version", "last_modified", "created_at",
    "temporal_event_time", "temporal_event_confidence", "temporal_event_source", "embedding_model",
}  # fmt: skip
EDGE = {
    "id", "type", "subtype", "source_id", "target_id", "neural_weight", "strength", "confidence", "created_at",
}  # fmt: skip
GRAPH_NODE = {
    "id", "type", "subtype", "title", "summary", "retrievability", "lifecycle", "access_count", "created_at",
}  # fmt: skip
METRICS = {
    "total_ms", "parse_filters_ms", "embed_queries_ms", "hybrid_seeding_ms", "spreading_ms",
    "seeds_found", "nodes_activated", "nodes_filtered", "nodes_returned",
}  # fmt: skip
QCS = {
    "query_type", "confidence", "disqualified", "disqualifier_category", "used_embeddings", "ssa_multiplier",
}  # fmt: skip
CLASSIFICATION = {
    "query", "disqualified", "disqualifier_category", "disqualifier_reason", "query_type", "confidence", "entity",
    "attribute",
}  # fmt: skip
CLUSTER_HEALTH = {
    "cluster_id", "name", "total_nodes", "active_nodes", "weak_nodes", "dormant_nodes", "health_ratio",
}  # fmt: skip
DETECTION = {
    "conflict_detected", "tier", "confidence", "triggers", "disqualifiers", "temporal_signal", "conflicting_nodes",
}  # fmt: skip
RESOLUTION = {
    "ok", "conflict_id", "resolution", "old_node_id", "new_node_id", "actions", "resolved_at",
}  # fmt: skip
SIGNALS = {"semantic", "keyword", "graph", "recency", "authority", "affinity"}
SECTIONS = {"EPISODIC", "SIGNALS", "KNOWLEDGE", "PROCEDURAL"}
STATES = {"ACTIVE", "WEAK", "DORMANT", "COMPRESS", "ARCHIVE", "DELETED"}
STRENGTHS = {
    "relates_to": 0.50, "part_of": 0.85, "causes": 0.80, "precedes": 0.40, "similar_to": 0.45, "mentioned_in": 0.60,
    "derived_from": 0.50, "contradicts": 0.50, "supersedes": 0.50, "user_linked": 0.90, "generalizes": 0.70,
    "applied_to": 0.75, "of_my_own": 0.50,
}  # fmt: skip
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
TIMEOUT = 30
# A parameter in a path, in the notation of the description and in that of the calls here.
PART, WRITTEN = re.compile(r"{(\w+)}"), r":\1"

try:
    import requests

    session = requests.Session()

    def exchange(method, url, body, headers):
        answer = session.request(method, url, data=body, headers=headers, timeout=TIMEOUT)
        return answer.status_code, answer.content

except ImportError:
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    def exchange(method, url, body, headers):
        request = Request(url, data=body, headers=headers, method=method)
        try:
            with urlopen(request, timeout=TIMEOUT) as answer:
                return answer.status, answer.read()
        except HTTPError as refusal:
            return refusal.code, refusal.read()


class Memory:
    """One agent's memory. A call has the name of its route: `ask(200, "GET /nodes/:id", id=node)`."""

    def __init__(self, base_url, agent):
        self.base = base_url.rstrip("/") + "/v1"
        self.agent = agent
        self.made = set()

    def ask(self, status, call, body=None, query=None, **parts):
        method, path = call.split(" ")
        self.made.add(call)
        for name, part in parts.items():
            path = path.replace(f":{name}", part)
        url = self.base + path + ("?" + urlencode(query) if query else "")
        headers = {"X-Nous-Agent": self.agent}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        found, text = exchange(method, url, data, headers)
        assert found == status, f"{call} was answered with {found} instead of {status}: {text[:500]!r}"
        return json.loads(text)

    def create(self, **fields):
        return self.ask(201, "POST /nodes", {"type": "concept", "content_title": "A title", **fields})

    def link(self, source, target, kind="relates_to", **fields):
        return self.ask(201, "POST /edges", {"source_id": source, "target_id": target, "type": kind, **fields})


def has(fields, thing, what):
    missing = fields - thing.keys()
    assert not missing, f"{what} lacks {sorted(missing)}"


def is_near(found, expected, what):
    assert abs(found - expected) < 1e-9, f"{what} is {found} instead of {expected}"


def is_list(answer, what):
    has({"data", "count"}, answer, what)
    assert answer["count"] == len(answer["data"]), f"{what}: count {answer['count']} of {len(answer['data'])}"
    return answer["data"]


def ids_of(answer, what):
    return [thing["id"] for thing in is_list(answer, what)]


def is_problem(answer, *paths):
    assert isinstance(answer["error"], str) and answer["issues"], answer
    for issue in answer["issues"]:
        has({"path", "message"}, issue, "an issue")
    found = {issue["path"] for issue in answer["issues"]}
    assert set(paths) <= found, f"issues are about {found} instead of {paths}"


def nodes(memory):
    plain = memory.create(content_body="Nothing else is given")
    has(NODE, plain, "a new node")
    assert re.fullmatch(r"n_.{12}", plain["id"]), plain["id"]
    assert (plain["layer"], plain["provenance_source"], plain["state_lifecycle"]) == ("semantic", "agent", "ACTIVE")
    assert (plain["version"], plain["neural_access_count"], plain["neural_last_accessed"]) == (1, 0, None)
    assert plain["subtype"] is None and plain["content_summary"] is None
    assert "embedding_vector" not in plain
    for field in ["provenance_created_at", "last_modified", "created_at"]:
        assert TIME.fullmatch(plain[field]), f"{field} is {plain[field]}"

    whole = {
        "type": "episode",
        "subtype": "custom:trade_close",
        "content_title": "Closed the short",
        "content_summary": "Out at 61,400",
        "content_body": "Funding was extreme, and the squeeze came.",
        "temporal_event_time": "2026-02-01T09:30:00.000Z",
        "temporal_event_confidence": 0.75,
        "temporal_event_source": "exchange",
        "neural_stability": 12.5,
    }
    row = memory.ask(201, "POST /nodes", whole)
    assert {field: row[field] for field in whole} == whole
    assert row["layer"] == "episode"
    is_problem(memory.ask(400, "POST /nodes", {"type": "note"}), "content_title")
    is_problem(memory.ask(400, "POST /nodes", {"content_title": "of no type"}), "type")

    read = memory.ask(200, "GET /nodes/:id", id=row["id"])
    has(NODE, read, "a node")
    assert read["neural_access_count"] == 1 and TIME.fullmatch(read["neural_last_accessed"])
    assert read["neural_stability"] > row["neural_stability"]
    assert memory.ask(404, "GET /nodes/:id", id="n_000000000000") == {"error": "not found"}

    everything = ids_of(memory.ask(200, "GET /nodes"), "the list of nodes")
    assert everything[:2] == [row["id"], plain["id"]]
    for query in [
        {"type": "episode"},
        {"subtype": "custom:trade_close"},
        {"lifecycle": "ACTIVE", "limit": 1},
        {"created_after": row["created_at"], "limit": 1},
        {"limit": 1},
    ]:
        listed = is_list(memory.ask(200, "GET /nodes", query=query), f"the list by {query}")
        assert [node["id"] for node in listed] == [row["id"]], query
        has(NODE, listed[0], "a listed node")
        assert 0 <= listed[0]["neural_retrievability"] <= 1 and listed[0]["state_lifecycle"] in STATES
    assert ids_of(memory.ask(200, "GET /nodes", query={"created_before": "2000-01-01T00:00:00Z"}), "a list") == []
    assert len(ids_of(memory.ask(200, "GET /nodes", query={"limit": 1_000_000}), "a list")) == len(everything)

    changes = {
        "content_title": "Closed half of the short",
        "neural_retrievability": 0.5,
        "neural_difficulty": 0.25,
        "state_lifecycle": "DORMANT",
    }
    changed = memory.ask(200, "PATCH /nodes/:id", changes, id=row["id"])
    assert {field: changed[field] for field in changes} == changes
    assert changed["version"] == row["version"] + 1 and changed["last_modified"] >= row["last_modified"]
    is_problem(memory.ask(400, "PATCH /nodes/:id", {"no_such_field": 1}, id=row["id"]))
    memory.ask(404, "PATCH /nodes/:id", changes, id="n_000000000000")

    assert memory.ask(200, "DELETE /nodes/:id", id=row["id"]) == {"ok": True}
    memory.ask(404, "GET /nodes/:id", id=row["id"])
    memory.ask(404, "DELETE /nodes/:id", id=row["id"])


def edges(memory):
    one, other = memory.create()["id"], memory.create()["id"]
    for kind, strength in STRENGTHS.items():
        row = memory.link(one, other, kind)
        has(EDGE, row, "an edge")
        assert re.fullmatch(r"e_.{12}", row["id"]) and TIME.fullmatch(row["created_at"])
        assert (row["source_id"], row["target_id"], row["type"], row["confidence"]) == (one, other, kind, 1)
        is_near(row["strength"], strength, f"the strength of {kind}")
    own = {"strength": 0.3, "confidence": 0.6, "neural_weight": 0.2, "subtype": "of_mine"}
    row = memory.link(other, one, **own)
    assert {field: row[field] for field in own} == own
    memory.ask(404, "POST /edges", {"source_id": one, "target_id": "n_000000000000", "type": "causes"})
    is_problem(memory.ask(400, "POST /edges", {"source_id": one}), "target_id", "type")

    for direction, count in [("out", len(STRENGTHS)), ("in", 1), ("both", len(STRENGTHS) + 1)]:
        found = is_list(memory.ask(200, "GET /edges", query={"node_id": one, "direction": direction}), "edges")
        assert len(found) == count, f"{len(found)} edges {direction}"
        has(EDGE, found[0], "a listed edge")

    is_near(memory.ask(200, "POST /edges/:id/strengthen", {}, id=row["id"])["strength"], 0.35, "the usual step")
    strong = memory.ask(200, "POST /edges/:id/strengthen", {"amount": 0.4}, id=row["id"])
    is_near(strong["strength"], 0.75, "a step of 0.4")
    strong = memory.ask(200, "POST /edges/:id/strengthen", {"amount": 0.9}, id=row["id"])
    assert strong["strength"] == 1
    memory.ask(404, "POST /edges/:id/strengthen", {}, id="e_000000000000")

    assert memory.ask(200, "DELETE /edges/:id", id=row["id"]) == {"ok": True}
    memory.ask(404, "DELETE /edges/:id", id=row["id"])
    memory.ask(200, "DELETE /nodes/:id", id=other)
    assert ids_of(memory.ask(200, "GET /edges", query={"node_id": one}), "edges of a node") == []


def searching(memory):
    wanted = memory.create(type="fact", subtype="custom:lesson", content_title="Zirconium lesson")["id"]
    other = memory.create(type="episode", subtype="custom:signal", content_title="Zirconium signal")["id"]
    memory.create(content_title="About something else")
    answer = memory.ask(200, "POST /search", {"query": "zirconium"})
    found = is_list(answer, "what is found")
    assert {node["id"] for node in found[:2]} == {wanted, other}
    assert isinstance(answer["answerable"], bool)
    for node in found:
        has(NODE | {"memory_section", "score", "evidence"}, node, "what is found by evidence")
        assert 0 <= node["score"] <= 1
    answer = memory.ask(200, "POST /search", {"query": "zirconium", "ranking": "signals"})
    found = is_list(answer, "what is found")
    assert {node["id"] for node in found} == {wanted, other}
    for node in found:
        has(NODE | {"memory_section", "score", "breakdown", "primary_signal"}, node, "what is found")
        assert node["memory_section"] in SECTIONS and node["primary_signal"] in SIGNALS
        assert node["breakdown"].keys() == SIGNALS
        assert round(node["score"], 4) == node["score"]
    scores = [node["score"] for node in found]
    assert scores == sorted(scores, reverse=True)
    has(METRICS, answer["metrics"], "metrics")
    has(QCS, answer["qcs"], "qcs")
    assert answer["metrics"]["nodes_returned"] == 2

    def search(**filters):
        return set(ids_of(memory.ask(200, "POST /search", {"query": "zirconium", "ranking": "signals", **filters}), f"found by {filters}"))

    assert search(type="fact") == {wanted}
    assert search(subtype="custom:signal") == {other}
    assert search(lifecycle="ACTIVE") == {wanted, other}
    assert search(lifecycle="ARCHIVE") == set()
    assert len(search(limit=1)) == 1
    assert search(limit=1_000_000) == {wanted, other}
    long_ago = {"start": "2000-01-01T00:00:00Z", "end": "2001-01-01T00:00:00Z"}
    for kind in ["event", "ingestion", "any"]:
        assert search(time_range={**long_ago, "type": kind}) == set()
    assert search(time_range={"start": "2001-01-01T00:00:00Z", "type": "ingestion"}) == {wanted, other}
    assert memory.ask(200, "GET /nodes/:id", id=wanted)["neural_access_count"] > 5
    is_problem(memory.ask(400, "POST /search", {}), "query")


def classifying(memory):
    answer = memory.ask(200, "POST /classify-query", {"query": "What is Ada's phone number?"})
    has(CLASSIFICATION, answer, "a classification")
    assert (answer["query_type"], answer["entity"], answer["attribute"]) == ("LOOKUP", "Ada", "phone")
    assert answer["disqualified"] is False and answer["disqualifier_category"] is None
    why = memory.ask(200, "POST /classify-query", {"query": "why did it fail?"})
    assert (why["disqualified"], why["disqualifier_category"]) == (True, "D1") and why["disqualifier_reason"]


def the_whole(memory):
    source, target = memory.create()["id"], memory.create()["id"]
    memory.link(source, target, "causes")
    health = memory.ask(200, "GET /health")
    has({"status", "node_count", "edge_count", "lifecycle"}, health, "health")
    assert health["status"] == "ok" and health["lifecycle"].keys() <= STATES
    assert sum(health["lifecycle"].values()) == health["node_count"] == 2
    assert health["edge_count"] == 1

    swept = memory.ask(200, "POST /decay")
    has({"ok", "processed", "transitions_count", "transitions"}, swept, "a sweep")
    assert swept["ok"] is True and swept["processed"] == 2
    assert swept["transitions_count"] == len(swept["transitions"])

    graph = memory.ask(200, "GET /graph")
    has({"nodes", "edges", "clusters", "memberships", "count"}, graph, "the graph")
    assert graph["count"] == {"nodes": len(graph["nodes"]), "edges": len(graph["edges"])}
    has(GRAPH_NODE, next(node for node in graph["nodes"] if node["id"] == source), "a node of the graph")
    edge = next(edge for edge in graph["edges"] if edge["source"] == source)
    has({"id", "source", "target", "type", "strength"}, edge, "an edge of the graph")
    assert (edge["target"], edge["type"], edge["strength"]) == (target, "causes", 0.8)


def similar(memory):
    twin = {"content_title": "Tungsten carbide", "content_body": "hard and heavy"}
    node = memory.create(subtype="custom:lesson", **twin)["id"]
    content = {"content": twin["content_body"], "title": twin["content_title"], "subtype": "custom:lesson"}
    answer = memory.ask(200, "POST /nodes/check-similar", content)
    has({"matches", "recommendation"}, answer, "a check")
    assert answer["recommendation"] == "duplicate_found", answer
    match = answer["matches"][0]
    has({"node_id", "title", "similarity", "action", "lifecycle"}, match, "a match")
    assert (match["node_id"], match["action"]) == (node, "duplicate") and match["similarity"] >= 0.95
    unlike = {"content": "quite another matter altogether", "title": "Elephants", "limit": 5}
    assert memory.ask(200, "POST /nodes/check-similar", unlike)["recommendation"] == "unique"


def backfill(memory):
    answer = memory.ask(200, "POST /nodes/backfill-embeddings")
    has({"ok", "embedded", "total"}, answer, "a backfill")
    assert answer["ok"] is True and 0 <= answer["embedded"] <= answer["total"]


def clusters(memory):
    fields = {"name": "Rates", "description": "what moves them", "icon": "%", "pinned": True}
    cluster = memory.ask(201, "POST /clusters", {**fields, "auto_subtypes": ["custom:thesis"]})
    assert {field: cluster[field] for field in fields} == fields and cluster["auto_subtypes"] == ["custom:thesis"]
    is_problem(memory.ask(400, "POST /clusters", {"icon": "?"}), "name")
    at = {"id": cluster["id"]}
    assert cluster["id"] in ids_of(memory.ask(200, "GET /clusters"), "the list of clusters")
    assert memory.ask(200, "GET /clusters/:id", **at)["name"] == "Rates"
    assert memory.ask(200, "PATCH /clusters/:id", {"name": "Carry"}, **at)["name"] == "Carry"
    memory.ask(404, "GET /clusters/:id", id="c_000000000000")

    inside = memory.create(content_title="Vanadium inside")["id"]
    memory.create(content_title="Vanadium outside")
    memory.ask(201, "POST /clusters/:id/members", {"node_id": inside}, **at)
    is_list(memory.ask(200, "GET /clusters/:id/members", **at), "the members")
    found = memory.ask(200, "POST /search", {"query": "vanadium", "cluster_ids": [cluster["id"]]})
    assert ids_of(found, "what is found in a cluster") == [inside]
    health = memory.ask(200, "GET /clusters/:id/health", **at)
    has(CLUSTER_HEALTH, health, "a cluster's health")
    assert (health["cluster_id"], health["name"]) == (cluster["id"], "Carry")
    assert (health["total_nodes"], health["active_nodes"], health["health_ratio"]) == (1, 1, 1)
    memory.ask(200, "DELETE /clusters/:id/members/:node_id", node_id=inside, **at)
    assert memory.ask(200, "GET /clusters/:id/health", **at)["total_nodes"] == 0
    assert memory.ask(200, "DELETE /clusters/:id", **at) == {"ok": True}
    memory.ask(404, "GET /clusters/:id", **at)


def contradictions(memory):
    old = memory.create(content_title="Osmium desk opens", content_body="at nine")["id"]
    text = "Osmium desk opens at ten now, actually; the old hour was wrong"
    new = memory.create(content_title="Osmium desk opens later", content_body=text)
    assert new["_contradiction_detected"] is True
    assert "_contradiction_detected" not in memory.create(content_title="Osmium", content_body="a metal")
    detected = memory.ask(200, "POST /contradiction/detect", {"title": "Osmium desk opens later", "content": text})
    has(DETECTION, detected, "a detection")
    assert detected["conflict_detected"] is True and detected["tier"] == "PATTERN" and detected["triggers"]
    is_near(detected["confidence"], 0.7, "the confidence")
    assert old in [node["id"] for node in detected["conflicting_nodes"]]
    has({"id", "title", "subtype"}, detected["conflicting_nodes"][0], "a conflicting node")
    assert memory.ask(200, "POST /contradiction/detect", {"content": "all is well"})["conflict_detected"] is False

    def queue(one, other):
        pair = {"old_node_id": one, "new_node_id": other, "new_content": text}
        return memory.ask(201, "POST /contradiction/queue", pair)["id"]

    conflict = queue(old, new["id"])
    assert conflict in ids_of(memory.ask(200, "GET /contradiction/queue"), "the queue")
    resolved = memory.ask(
        200, "POST /contradiction/resolve", {"conflict_id": conflict, "resolution": "new_is_current"}
    )
    has(RESOLUTION, resolved, "a resolution")
    assert (resolved["ok"], resolved["old_node_id"], resolved["new_node_id"]) == (True, old, new["id"])
    assert memory.ask(200, "GET /nodes/:id", id=old)["state_lifecycle"] == "DORMANT"
    out = is_list(memory.ask(200, "GET /edges", query={"node_id": new["id"], "direction": "out"}), "edges")
    assert [(edge["type"], edge["target_id"]) for edge in out] == [("supersedes", old)]
    memory.ask(404, "POST /contradiction/resolve", {"conflict_id": "nobody", "resolution": "keep_both"})

    batch = [
        {"conflict_id": queue(old, memory.create()["id"]), "resolution": resolution}
        for resolution in ["old_is_current", "keep_both"]
    ]
    merged = memory.create()["id"]
    batch.append({"conflict_id": queue(old, merged), "resolution": "merge", "merged_content": "both hours"})
    answer = memory.ask(200, "POST /contradiction/batch-resolve", {"items": batch})
    has({"ok", "resolved", "failed", "total", "results"}, answer, "a batch")
    assert (answer["resolved"], answer["failed"], answer["total"], len(answer["results"])) == (3, 0, 3, 3)
    memory.ask(404, "GET /nodes/:id", id=merged)
    assert "both hours" in memory.ask(200, "GET /nodes/:id", id=old)["content_body"]
    is_problem(memory.ask(400, "POST /contradiction/batch-resolve", {"items": batch[:1] * 51}))


# Requirements of each step beside nodes and edges.
STEPS = {
    nodes: "POST /nodes",
    edges: "POST /edges",
    searching: "POST /search",
    classifying: "POST /classify-query",
    the_whole: "GET /graph",
    similar: "POST /nodes/check-similar",
    backfill: "POST /nodes/backfill-embeddings",
    clusters: "POST /clusters",
    contradictions: "POST /contradiction/resolve",
}


def main(base_url):
    made = set()
    described = Memory(base_url, "default").ask(200, "GET /openapi.json")["paths"]
    there = {
        f"{method.upper()} {PART.sub(WRITTEN, path[len('/v1') :])}"
        for path, methods in described.items()
        for method in methods
    }
    for step, needed in STEPS.items():
        if needed not in there:
            continue
        memory = Memory(base_url, f"python {step.__name__}")
        step(memory)
        made |= memory.made
    print(json.dumps(sorted(made)))


main(sys.argv[1])
