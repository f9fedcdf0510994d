"""The same tests for the sync and the async client, against the real server."""

from __future__ import annotations

import json
import pickle
import re
from datetime import date, datetime, timedelta, timezone
from uuid import uuid4

import pytest
from conftest import AnyMemory, Opened

import nous_memory
from nous_memory import LocalServer, Time

MIRA = "Mira eats no dairy since March."


def test_remembers_and_builds_a_prompt(memory: AnyMemory) -> None:
    answer = memory.remember(MIRA, user="mira", tags=["food"])
    assert (answer.created, answer.duplicates) == (1, 0)
    assert answer.stored[0].type == "preference"
    assert "Mira eats no dairy" in memory.context("What may Mira eat?").prompt
    assert memory.remember(MIRA, user="mira").duplicates == 1


def test_searches_with_a_filter(memory: AnyMemory) -> None:
    memory.remember(memories=[{"text": MIRA, "user": "mira"}, {"text": "Omar eats no fish."}])
    answer = memory.search("who eats no dairy?", filter={"user": "mira"}, limit=5)
    assert [hit.content_title for hit in answer.data] == [MIRA]
    assert answer.data[0].score == answer.probability
    assert answer.knows == "yes"
    assert answer.data[0].evidence


def test_asks_and_explains(memory: AnyMemory) -> None:
    memory.remember(MIRA, id="mira-diet")
    known = memory.ask("What does Mira not eat?")
    assert known.answerable
    assert known.best.id == "mira-diet"
    assert not memory.ask("When does the train to Oslo leave?").answerable
    explained = memory.explain("Which food must Mira avoid?", id="mira-diet")
    assert explained.data[0].rank == 1
    assert "mira" in explained.understood.words


def test_messages_of_providers_are_taken(memory: AnyMemory) -> None:
    messages = [
        {"role": "user", "content": "We moved to Bergen, and Rex hated the ferry."},
        {"role": "assistant", "content": [{"type": "text", "text": "Poor dog!"}]},
    ]
    answer = memory.remember(messages=messages, session="monday")
    assert answer.created >= 1
    assert answer.stored[0].type == "episode"


def test_corrections_are_guessed_and_resolved(memory: AnyMemory) -> None:
    memory.remember("The rent is 900 euros.")
    new = memory.remember("The rent is 1,000 euros now.").stored[0]
    assert new.replaces[0].grade in ("likely", "possible")
    old = new.replaces[0].id
    assert [it.old_node_id for it in memory.conflicts.list(status="pending")] == [old]
    done = memory.conflicts.resolve(
        old_node_id=old, new_node_id=new.id, resolution="new_is_current"
    )
    assert done.resolution == "new_is_current"
    values = memory.history("what is the rent?").data
    assert [value.id for value in values] == [old, new.id]
    assert values[0].replaced_by.grade == "sure"
    assert [value.id for value in memory.history(id=old).data] == [old, new.id]


def test_a_conflict_is_resolved_by_its_id(memory: AnyMemory) -> None:
    memory.remember("The office is in Oslo.")
    memory.remember("Actually, the office is in Bergen now.")
    conflict = next(iter(memory.conflicts.list()))
    assert memory.conflicts.resolve(conflict.id, resolution="keep_both").conflict_id == conflict.id


def test_nodes_are_created_read_changed_and_deleted(memory: AnyMemory) -> None:
    made = memory.nodes.create(
        type="fact", content_title="Skerry deploys on Thursdays", metadata={"project": "skerry"}
    )
    assert memory.nodes.get(made.id, recall=False).metadata == {"project": "skerry"}
    changed = memory.nodes.update(made.id, content_title="Skerry deploys on Fridays")
    assert (changed.content_title, changed.version) == ("Skerry deploys on Fridays", 2)
    with pytest.raises(nous_memory.VersionError):
        memory.nodes.update(made.id, content_title="x", if_match=1)
    put = memory.nodes.put(made.id, type="fact", content_title="Put", if_match=2)
    assert put.metadata is None
    listed = memory.nodes.list(filter={"ids": [made.id]}).all()
    assert [node.content_title for node in listed] == ["Put"]
    assert memory.nodes.delete(made.id).ok
    with pytest.raises(nous_memory.NotFoundError) as caught:
        memory.nodes.get(made.id)
    assert (caught.value.status, caught.value.code) == (404, "not_found")


def test_batches_tell_what_was_refused(memory: AnyMemory) -> None:
    items = [{"type": "fact", "content_title": title, "id": "one"} for title in ("One", "Two")]
    made = memory.nodes.create_many(items)
    assert (made.created, made.failed) == (1, 1)
    assert (made.results[1].status, made.results[1].id) == (409, None)
    assert made.results[1].error
    read = memory.nodes.get_many(["one", "two"])
    assert [item.status for item in read.results] == [200, 404]
    assert read.results[0].node.content_title == "One"


def test_edges_and_clusters(memory: AnyMemory) -> None:
    ids = [memory.nodes.create(type="fact", content_title=title).id for title in ("One", "Two")]
    edge = memory.edges.create(source_id=ids[0], target_id=ids[1], type="part_of", strength=0.4)
    assert memory.edges.strengthen(edge.id, amount=0.1).strength == pytest.approx(0.5)
    assert [it.id for it in memory.edges.list(node_id=ids[0], direction="out")] == [edge.id]
    cluster = memory.clusters.create(name="Numbers")
    assert memory.clusters.add(cluster.id, node_ids=ids).added == 2
    assert {it.node_id for it in memory.clusters.members(cluster.id)} == set(ids)
    assert memory.clusters.remove(cluster.id, ids[0]).ok
    assert memory.clusters.health(cluster.id).total_nodes == 1
    assert memory.clusters.update(cluster.id, name="Others").name == "Others"
    assert memory.clusters.get(cluster.id).name == "Others"
    assert [it.name for it in memory.clusters.list()] == ["Others"]
    assert memory.graph().count.nodes == 2
    assert memory.clusters.delete(cluster.id).ok
    assert memory.edges.delete(edge.id).ok
    health = memory.health()
    assert (health.node_count, health.edge_count) == (2, 0)


def test_deletes_by_a_filter(memory: AnyMemory) -> None:
    memory.remember(memories=["One fish.", "Two ducks."], user="mira")
    assert memory.nodes.delete_where({"user": "mira"}, dry_run=True).matched == 2
    assert memory.health().node_count == 2
    assert memory.nodes.delete_where({"user": "mira"}).deleted == 2
    assert memory.health().node_count == 0


def test_the_other_calls(memory: AnyMemory) -> None:
    memory.remember("Deploys on Friday fail more often: three of four rollbacks were on Fridays.")
    turn = memory.context("Should we deploy on Friday?")
    told = memory.context_feedback(
        context_id=turn.context_id,
        recalled_content=turn.recalled_content,
        response="No, not Friday.",
    )
    assert told.count == 1
    id = turn.recalled_ids.fact[0]
    assert memory.expand(type="fact", id=id).found
    assert memory.guidance().text
    assert "Friday" in memory.context_lines("Friday deploys").text
    assert memory.retrieve("Friday deploys").data[0].id == id
    assert memory.classify("what is Bob's phone?").query_type == "LOOKUP"
    assert memory.search_feedback(question="Friday?", shown=[id], used=[id]).counted == 0
    assert memory.learned().steps == 0
    assert memory.forget_learned().ok
    assert memory.consolidate(dry_run=True).errors == []
    assert memory.set_preset("trading").preset == "trading"
    assert memory.profile().weights == "trading"
    assert memory.sweep().processed == 1
    assert memory.match_playbooks(events=[]).count == 0
    with pytest.raises(nous_memory.NotFoundError):
        memory.count_outcome(entry_id="n_none", profitable=True)
    assert memory.nodes.check_similar(turn.recalled_content[id]).matches[0].node_id == id
    assert memory.backfill_embeddings().ok
    assert not memory.conflicts.detect("The sky is blue.").conflict_detected
    queued = memory.conflicts.queue(old_node_id=id, new_content="They fail on Mondays.")
    assert (
        memory.conflicts.resolve_many(
            [{"conflict_id": queued.id, "resolution": "old_is_current"}]
        ).resolved
        == 1
    )
    assert memory.nodes.purge(id).deleted


def test_agents_are_apart_and_listed(memory: AnyMemory) -> None:
    memory.remember(MIRA)
    name = f"Мира/{uuid4().hex} ☂"
    other = memory.with_options(agent=name)
    assert other.health().node_count == 0
    other.remember("Omar eats no fish.")
    assert memory.health().node_count == 1
    names = {agent.agent for agent in memory.agents.list(page_size=2)}
    assert {name, memory.agent} <= names
    assert memory.agents.delete(name).ok
    assert name not in {agent.agent for agent in memory.agents.list()}


# ---- pages ---------------------------------------------------------------------------------------


def test_lists_go_over_three_pages(memory: AnyMemory) -> None:
    titles = [f"Fact number {number}" for number in range(5)]
    memory.nodes.create_many([{"type": "fact", "content_title": title} for title in titles])
    pages = memory.nodes.list(page_size=2)
    assert [len(page.data) for page in pages.pages()] == [2, 2, 1]
    assert sorted(node.content_title for node in pages) == titles
    assert len(pages.all()) == 5  # each iteration begins anew
    assert len(memory.timeline(page_size=2).all()) == 5


def test_what_was_written_is_read_after_a_cursor(memory: AnyMemory) -> None:
    before = memory.events()
    assert before.data == []
    rows = [
        {
            "kind": "node",
            "id": "n_ferry",
            "type": "fact",
            "content_title": "The ferry leaves at nine",
        },
        {"kind": "node", "id": "n_tea", "type": "fact", "content_title": "Mira likes tea"},
    ]
    imported = memory.import_rows(rows)
    assert (imported.added, imported.there, imported.wrong) == (2, 0, [])
    assert memory.import_rows(rows).there == 2
    first = memory.events(before.cursor, limit=1)
    assert [(event.kind, event.id) for event in first.data] == [("stored", "n_ferry")]
    rest = memory.events(first.cursor)
    assert [event.id for event in rest.data] == ["n_tea"]
    assert memory.events(rest.cursor).data == []


def test_a_list_that_is_left_early_asks_for_no_more_pages(memory: AnyMemory) -> None:
    memory.nodes.create_many([{"type": "fact", "content_title": str(n)} for n in range(5)])
    pages = memory.nodes.list(page_size=2)
    first = next(iter(pages))
    # The second page needs the memories that are gone by now.
    memory.nodes.delete_where({"type": "fact"})
    assert first.content_title == "4"
    assert pages.all() == []


# ---- texts and times -----------------------------------------------------------------------------

TEXTS = [
    "Grüße an Zoë: naïve café, Straße 12",
    "日本語の文章です。東京で会いました。",
    "🦊👩‍👩‍👧‍👦 family emoji and \u202eright to left\u202c",
    'quotes " and \\ backslashes, a tab\tand a null-like \\u0000',
    "e\u0301 is not composed",
]


@pytest.mark.parametrize("text", TEXTS)
def test_texts_come_back_as_they_were(memory: AnyMemory, text: str) -> None:
    made = memory.nodes.create(
        type="fact", content_title=text, content_body=text, metadata={"text": text}, user=text
    )
    read = memory.nodes.get(made.id)
    assert (read.content_title, read.content_body, read.user) == (text, text, text)
    assert read.metadata == {"text": text}
    assert [node.id for node in memory.nodes.list(user=text)] == [made.id]


def test_a_large_text_is_stored_whole(memory: AnyMemory) -> None:
    body = "Ein Satz über Öl und Äpfel. " * 35_000
    made = memory.nodes.create(type="fact", content_title="Large", content_body=body)
    assert memory.nodes.get(made.id).content_body == body
    with pytest.raises(nous_memory.BadRequestError) as caught:
        memory.nodes.create(type="fact", content_title="Larger", content_body="x" * 1_000_001)
    assert caught.value.field == "content_body"
    with pytest.raises(nous_memory.TooLargeError):
        memory.remember(memories=["x" * 999_999] * 9)


def test_half_a_surrogate_pair_is_refused_before_it_is_sent(memory: AnyMemory) -> None:
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        memory.remember("broken \ud83d")


def test_times_keep_their_zones(memory: AnyMemory) -> None:
    seattle = timezone(timedelta(hours=-8))
    at = datetime(2026, 11, 20, 19, tzinfo=seattle)
    made = memory.remember("The meeting in Seattle went well.", event_time=at).stored[0]
    read = memory.nodes.get(made.id)
    assert read.event_time == "2026-11-20T19:00:00.000-08:00"
    assert isinstance(read.event_time, Time)
    assert read.event_time.datetime == at
    assert read.event_time.datetime.utcoffset() == timedelta(hours=-8)
    assert abs(read.created_at.datetime - datetime.now(timezone.utc)) < timedelta(minutes=5)
    hour = timedelta(hours=1)
    assert [entry.id for entry in memory.timeline(at - hour, at + hour)] == [made.id]
    assert memory.timeline(at + hour).all() == []
    # The days of a range are those of the agent's zone, here UTC.
    assert [entry.id for entry in memory.timeline(to=date(2026, 11, 21))] == [made.id]
    assert memory.timeline(to=date(2026, 11, 20)).all() == []


def test_a_time_without_a_zone_is_read_in_that_of_the_agent(
    opened: Opened, server: LocalServer
) -> None:
    berlin = opened(server.url, agent="berlin")
    naive = datetime(2026, 7, 1, 12)
    for given in (naive, "2026-07-01T12:00:00"):
        made = berlin.nodes.create(type="event", content_title="Lunch", event_time=given)
        assert made.event_time.datetime == datetime(2026, 7, 1, 10, tzinfo=timezone.utc)
    assert berlin.profile().time_zone == "Europe/Berlin"
    made = berlin.nodes.create(type="event", content_title="Day", event_time=date(2026, 7, 1))
    assert made.event_time.datetime == datetime(2026, 6, 30, 22, tzinfo=timezone.utc)


def test_a_time_that_no_calendar_has_is_still_a_text() -> None:
    assert Time("about noon") == "about noon"
    with pytest.raises(ValueError, match="about noon"):
        _ = Time("about noon").datetime


# ---- errors --------------------------------------------------------------------------------------


def test_an_error_names_the_field_and_the_one_that_is_meant(memory: AnyMemory) -> None:
    with pytest.raises(nous_memory.BadRequestError) as caught:
        memory.search("x", limt=3)
    error = caught.value
    assert (error.status, error.code, error.field) == (400, "bad_request", "limt")
    assert error.message == "the request is not valid"
    assert error.hint == "did you mean limit?"
    assert error.issues[0].path == "limt"
    assert re.fullmatch(r"[\w-]{36}", str(error.request_id))
    assert str(error) == (
        "the request is not valid; limt is not a field of this request: did you mean limit?"
    )
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.issues, again.status) == (str(error), error.issues, 400)


def test_a_place_within_lists_is_named(memory: AnyMemory) -> None:
    with pytest.raises(nous_memory.BadRequestError) as caught:
        memory.remember(memories=["good", {"text": "good"}, {"text": ""}])
    assert "memories" in str(caught.value.field)
    assert "2" in str(caught.value.field)


def test_an_id_in_use_is_a_conflict(memory: AnyMemory) -> None:
    memory.nodes.create(id="mine", type="fact", content_title="One")
    with pytest.raises(nous_memory.ConflictError) as caught:
        memory.nodes.create(id="mine", type="fact", content_title="Two")
    assert caught.value.code == "conflict"


def test_an_idempotency_key_makes_one_memory(memory: AnyMemory) -> None:
    first = memory.nodes.create(type="fact", content_title="One", idempotency_key="k-1")
    again = memory.nodes.create(type="fact", content_title="One", idempotency_key="k-1")
    assert first.id == again.id
    with pytest.raises(nous_memory.KeyReusedError) as caught:
        memory.nodes.create(type="fact", content_title="Two", idempotency_key="k-1")
    assert caught.value.status == 422
    # Without a key of the caller's own each call is one of its own.
    assert memory.nodes.create(type="fact", content_title="One").id != first.id


@pytest.mark.parametrize("id", ["", ".", ".."])
def test_an_id_that_would_address_another_path_is_refused(memory: AnyMemory, id: str) -> None:
    with pytest.raises(ValueError, match="id must be an id"):
        memory.nodes.get(id)


def test_any_other_id_is_one_segment(memory: AnyMemory) -> None:
    for id in ("../health", "a/b?c=d#e", "ü ☂"):
        with pytest.raises(nous_memory.NotFoundError):
            memory.nodes.get(id)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": "localhost:3100"}, "must begin with http"),
        ({"url": "http://x/?a=b"}, "no query"),
        ({"url": "http://me:secret@x/"}, "no name and no password"),
        ({"url": "http://x:1/v1"}, "must end before /v1"),
        ({"agent": ""}, "agent must be"),
        ({"agent": "a\nb"}, "agent must be"),
        ({"key": "two words"}, "key must be"),
        ({"timeout": 0}, "timeout must be"),
        ({"retries": -1}, "retries must be"),
    ],
)
def test_wrong_options_are_refused(
    opened: Opened, options: dict[str, object], message: str
) -> None:
    given = {"url": "http://127.0.0.1:1", **options}
    with pytest.raises(ValueError, match=message) as caught:
        opened(given.pop("url"), **given)
    assert "secret" not in str(caught.value)


def test_the_description_of_the_server_has_no_call_that_the_client_lacks(
    server: LocalServer,
) -> None:
    from urllib.request import urlopen

    from nous_memory import _async_client

    with urlopen(f"{server.url}/v1/openapi.json") as answer:
        document = json.load(answer)
    with open(_async_client.__file__, encoding="utf-8") as file:
        source = file.read()
    missing = []
    for path in document["paths"]:
        written = re.sub(r"\{(\w+)\}", r"{segment('\1', \1)}", path.removeprefix("/v1"))
        if f'"{written}"' not in source:
            missing.append(path)
    assert missing == []


@pytest.mark.parametrize("name", ["limit", "cursor"])
def test_a_list_names_the_option_that_is_meant(memory: AnyMemory, name: str) -> None:
    for listed in (memory.nodes.list, memory.timeline, memory.conflicts.list, memory.edges.list):
        with pytest.raises(TypeError, match=f"no {name}: .* page_size"):
            listed(**{name: "3"})


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_cannot_hold_are_refused(memory: AnyMemory, number: float) -> None:
    with pytest.raises(ValueError, match=r"^memories\[1\]\.metadata\.a must be a finite number"):
        memory.remember(memories=["x", {"text": "y", "metadata": {"a": number, "b": None}}])
    with pytest.raises(ValueError, match=r"^min_score must be a finite number"):
        memory.search("x", min_score=number)
    memory.nodes.create(type="fact", content_title="One", content_body=None, metadata={"a": 1e308})
    assert memory.health().node_count == 1


def test_an_address_that_no_request_has_is_an_error_of_the_client(memory: AnyMemory) -> None:
    with pytest.raises(nous_memory.NousError, match=r"address.*too long") as caught:
        memory.nodes.get("secret" * 20_000)
    assert "secret" not in str(caught.value)
