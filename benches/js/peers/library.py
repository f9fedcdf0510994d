"""A process of its own for a library in Python, which fills its files or is measured on them.

Arguments: its name, `fill` or `measure`, the folder of the data, and its own folder. `measure`
prints what was measured as JSON. `data.ts` writes the data, and `measure.ts` has the same order.
"""

import json
import os
import re
import sys
import time
from pathlib import Path

import numpy

LIMIT = 10
DIMENSIONS = 128
IN_A_BATCH = 10_000
# How many candidates a graph keeps while it is searched: of 10,000 memories nine of ten are found.
EF = 200

NAME, PHASE = sys.argv[1:3]
DATA, FOLDER = Path(sys.argv[3]), Path(sys.argv[4])
PLAN = json.loads((DATA / "plan.json").read_text())
COUNT = PLAN["memories"]
QUESTIONS = [" ".join(re.findall(r"\w+", text)) for text in PLAN["questions"]]


def lines(name):
    with open(DATA / name, encoding="utf8") as file:
        for line in file:
            yield json.loads(line)


def vectors(name):
    return numpy.memmap(DATA / name, dtype=numpy.float32, mode="r").reshape(-1, DIMENSIONS)


# What is small is read at once, so that no time has its reading.
FRESH = list(lines("new.jsonl"))
ADDED = numpy.array(vectors("new.f32"))
ASKED = numpy.array(vectors("questions.f32"))


def batches(size=IN_A_BATCH):
    """Yields the place of the first memory of a batch, and the memories."""
    batch, first = [], 0
    for memory in lines("memories.jsonl"):
        batch.append(memory)
        if len(batch) == size:
            yield first, batch
            first, batch = first + size, []
    if batch:
        yield first, batch


class Tantivy:
    """Text in a stemmed index. A commit is durable."""

    def __init__(self):
        import tantivy

        self.tantivy = tantivy

    def fill(self):
        schema = self.tantivy.SchemaBuilder()
        for field in ("title", "text"):
            schema.add_text_field(field, stored=True, tokenizer_name="en_stem")
        schema.add_unsigned_field("place", stored=True)
        index = self.tantivy.Index(schema.build(), path=str(FOLDER))
        writer = index.writer()
        for first, batch in batches():
            for at, memory in enumerate(batch):
                self.add(writer, first + at, memory)
        writer.commit()
        writer.wait_merging_threads()

    def add(self, writer, place, memory):
        writer.add_document(
            self.tantivy.Document(title=memory["title"], text=memory["text"], place=place)
        )

    def open(self):
        self.index = self.tantivy.Index.open(str(FOLDER))
        self.searcher = self.index.searcher()
        self.writer = None

    def ask(self, question):
        query = self.index.parse_query(QUESTIONS[question], ["title", "text"])
        hits = self.searcher.search(query, LIMIT).hits
        return len([self.searcher.doc(address) for _, address in hits])

    def write(self, at):
        self.writer = self.writer or self.index.writer(num_threads=1)
        self.add(self.writer, COUNT + at, FRESH[at])
        self.writer.commit()


class LanceDB:
    """Vectors and texts in a table: all vectors are compared, or those that an index names."""

    def __init__(self, is_indexed):
        import lancedb
        import lancedb.index
        import pyarrow

        self.lancedb, self.pyarrow, self.is_indexed = lancedb, pyarrow, is_indexed

    def rows(self, memories, rows):
        arrow = self.pyarrow
        flat = arrow.array(numpy.ascontiguousarray(rows).ravel())
        return arrow.table(
            {
                "place": arrow.array(range(memories[0][0], memories[-1][0] + 1)),
                "title": arrow.array([memory["title"] for _, memory in memories]),
                "text": arrow.array([memory["text"] for _, memory in memories]),
                "vector": arrow.FixedSizeListArray.from_arrays(flat, DIMENSIONS),
            }
        )

    def fill(self):
        all_vectors = vectors("memories.f32")
        database = self.lancedb.connect(str(FOLDER))
        table = None
        for first, batch in batches(10 * IN_A_BATCH):
            numbered = list(enumerate(batch, first))
            rows = self.rows(numbered, all_vectors[first : first + len(batch)])
            if table is None:
                table = database.create_table("memories", rows)
            else:
                table.add(rows)
        if self.is_indexed:
            config = self.lancedb.index.HnswSq(distance_type="cosine", num_partitions=1)
            table.create_index("vector", config=config)

    def open(self):
        self.table = self.lancedb.connect(str(FOLDER)).open_table("memories")

    def ask(self, question):
        search = self.table.search(ASKED[question]).distance_type("cosine").limit(LIMIT)
        if self.is_indexed:
            search = search.ef(EF)
        # Without the distance among the columns each search prints a warning.
        return search.select(["place", "_distance"]).to_arrow()["place"].to_pylist()

    def write(self, at):
        self.table.add(self.rows([(COUNT + at, FRESH[at])], ADDED[at : at + 1]))


class Hnswlib:
    """Vectors alone, in memory: a write saves the whole file."""

    def __init__(self):
        import hnswlib

        self.index = hnswlib.Index(space="cosine", dim=DIMENSIONS)
        self.file = str(FOLDER / "index")

    def save(self):
        self.index.save_index(self.file)
        with open(self.file, "rb") as file:
            os.fsync(file.fileno())

    def fill(self):
        self.index.init_index(max_elements=COUNT, ef_construction=200, M=16)
        self.index.add_items(vectors("memories.f32"), numpy.arange(COUNT))
        self.save()

    def open(self):
        self.index.load_index(self.file, max_elements=COUNT + len(ADDED))
        self.index.set_ef(EF)

    def ask(self, question):
        return self.index.knn_query(ASKED[question], k=LIMIT)[0][0].tolist()

    def write(self, at):
        self.index.add_items(ADDED[at], [COUNT + at])
        self.save()


LIBRARIES = {
    "tantivy": Tantivy,
    "lancedb": lambda: LanceDB(is_indexed=False),
    "lancedb-index": lambda: LanceDB(is_indexed=True),
    "hnswlib": Hnswlib,
}


def times_of(places, run):
    """Runs something for each place, and stops when it has taken long. Returns nanoseconds."""
    times = []
    first = time.perf_counter_ns()
    for place in places:
        late = time.perf_counter_ns() - first > PLAN["seconds"] * 1e9
        if late and len(times) >= PLAN["least"]:
            break
        began = time.perf_counter_ns()
        run(place)
        times.append(time.perf_counter_ns() - began)
    return times


def resident():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024


def measured(library):
    questions = range(len(PLAN["questions"]))
    began = time.perf_counter_ns()
    library.open()
    library.ask(0)
    opening = time.perf_counter_ns() - began
    found = []
    times_of(questions, lambda question: found.append(library.ask(question)))
    if not any(found):
        raise RuntimeError("no question finds anything")
    searches = times_of(list(questions) * PLAN["rounds"], library.ask)
    after = resident()
    writes = times_of(range(len(FRESH)), library.write)
    places = {"found": found} if isinstance(found[0], list) else {}
    return {"opening": opening, "searches": searches, "writes": writes, "resident": after} | places


library = LIBRARIES[NAME]()
if PHASE == "fill":
    library.fill()
else:
    print(json.dumps(measured(library)))
