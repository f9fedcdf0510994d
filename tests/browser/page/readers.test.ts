// Files that the page opens, and the lines of an export. The readers of other programs' files are tested in
// tests/server/other-programs.test.ts.

import { readFileSync } from "node:fs";
import { zipSync } from "fflate";
import type { IndexedNodeRow } from "nous-memory";
import { Embedder, init } from "nous-wasm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readFiles } from "../../../js/page/src/memory/files.ts";
import { Held } from "../../../js/page/src/memory/held.ts";
import { addLine, addRow, exportLines, noRows } from "../../../js/page/src/memory/lines.ts";
import { metricsIn, Server } from "../../../js/page/src/memory/server.ts";
import { makeRandom } from "../../../js/reference/random.ts";
import { GENERAL_SUBTYPES } from "../../../js/sample/general/subtypes.ts";
import { readExportLine } from "../../server/support/export-lines.ts";
import { SEED } from "../../support/amount.ts";

const MODIFIED = Date.parse("2026-03-01T10:00:00Z");
const bytes = (text: string) => new TextEncoder().encode(text);

describe("a file", () => {
  const textOf = ({ content_title, content_body }: IndexedNodeRow) => content_body ?? content_title;
  const read = async (...files: File[]) => {
    const rows = noRows();
    const wrong: string[] = [];
    await readFiles(rows, files, { wrong: ({ why }) => wrong.push(why), progress: () => {} });
    const nodes = Array.from(rows.nodes.values(), (node) => ({ ...node, text: textOf(node) }));
    return { nodes, wrong };
  };
  const encoded = {
    "UTF-8": bytes("The café in Łódź opens."),
    "UTF-8 with a mark": bytes("\ufeffThe café in Łódź opens."),
    "UTF-16": Uint8Array.from(Buffer.from("\ufeffThe café in Łódź opens.", "utf16le")),
    "UTF-16, the other way": Uint8Array.from(
      Buffer.from("\ufeffThe café in Łódź opens.", "utf16le").swap16(),
    ),
  };
  test.each(Object.entries(encoded))("in %s is read", async (_, content) => {
    const { nodes } = await read(new File([content], "a.txt"));
    expect(nodes.map(({ text }) => text)).toEqual(["The café in Łódź opens."]);
  });

  test("in Windows-1252 is read, and a damaged character does not make UTF-8 that", async () => {
    const old = Uint8Array.from(Buffer.from("Der Kaffee kostet 3 \x80, \x84süß\x93.", "latin1"));
    expect((await read(new File([old], "a.txt"))).nodes[0]!.text).toBe(
      "Der Kaffee kostet 3 €, „süß“.",
    );
    const damaged = new File(
      [bytes("süß, ölig"), new Uint8Array([0xff]), bytes(" und mürb")],
      "b.txt",
    );
    expect((await read(damaged)).nodes[0]!.text).toBe("süß, ölig\ufffd und mürb");
  });

  test("of bytes by chance is no text", async () => {
    const random = makeRandom(SEED);
    const noise = (bytes: number) => Uint8Array.from({ length: bytes }, () => random() * 256);
    for (const content of [new Uint8Array(500).fill(0xff), noise(500), noise(70_000)])
      expect((await read(new File([content], "photo.jpg"))).wrong).toEqual([
        expect.stringMatching(/^This is no text/),
      ]);
  });

  test("of lines may be in UTF-16", async () => {
    const line = '\ufeff{"kind":"node","id":"n","type":"note","content_title":"Łódź"}\n';
    const file = new File([Uint8Array.from(Buffer.from(line, "utf16le"))], "a.jsonl");
    expect((await read(file)).nodes[0]!.content_title).toBe("Łódź");
  });

  test("within an archive keeps its own time", async () => {
    const mtime = new Date(2024, 4, 1, 12, 30, 8);
    const files = {
      "notes/über.md": bytes("The ferry leaves at nine."),
      "b.txt": bytes("Low tide."),
    };
    const zip = zipSync({
      "notes/über.md": [files["notes/über.md"], { mtime }],
      "b.txt": [files["b.txt"], { mtime: new Date(2023, 0, 2) }],
    }) as Uint8Array<ArrayBuffer>;
    const { nodes } = await read(new File([zip], "a.zip", { lastModified: MODIFIED }));
    expect(nodes.map(({ created_at }) => Date.parse(created_at!))).toEqual([
      mtime.getTime(),
      new Date(2023, 0, 2).getTime(),
    ]);
  });

  test("that would fill memory when it is unpacked is refused", async () => {
    const zip = zipSync({ "a.txt": bytes("x".repeat(1_000)) });
    // The directory and the entry claim a gigabyte.
    const view = new DataView(zip.buffer);
    const directory = zip.findLastIndex(
      (_, at) => at + 4 < zip.length && view.getUint32(at, true) === 0x02014b50,
    );
    view.setUint32(directory + 24, 2 ** 30, true);
    const file = new File([zip as Uint8Array<ArrayBuffer>], "a.zip");
    expect(await read(file)).toEqual({
      nodes: [],
      wrong: [expect.stringMatching(/more than 512 MB/)],
    });
  });
});

test("an export that was read is written again, and nous-server takes every line", () => {
  const rows = noRows();
  const lines = [
    { kind: "agent", preset: "trading" },
    {
      kind: "node",
      ...{ id: "n1", type: "note", content_title: "One", tags: ["a"], censors: [] },
      ...{ created_at: "2026-01-01T00:00:00Z", embedding: [0.5, 1], signals: { pnl_pct: 2 } },
    },
    { kind: "node", id: "n2", type: "note", content_title: "Two", created_at: "2026-01-02" },
    { kind: "cluster", id: "c", name: "Run", description: "kept" },
    { kind: "membership", cluster_id: "c", node_id: "n1", weight: 0.5 },
    { kind: "conflict", id: "q", old_node_id: "n1", new_node_id: "n2", context: "kept" },
    { kind: "edge", id: "e", source_id: "n1", target_id: "n2", type: "causes" },
    { kind: "outcome", playbook_id: "n1", entry_id: "n2", profitable: 1, applied_at: "2026-01-03" },
  ];
  for (const line of lines) addLine(rows, JSON.stringify(line));
  const written = [...exportLines(rows, () => "KNOWLEDGE")].map((line) => JSON.stringify(line));
  for (const line of written) expect(() => readExportLine(line), line).not.toThrow();
  const all = written.join("\n");
  expect(all).toContain('"embedding":[0.5,1]');
  expect(all).toContain('"description":"kept"');
  expect(all).toContain('"weight":0.5');
  expect(all).toContain('"context":"kept"');
  expect(written).toHaveLength(lines.length);
  // What names a memory that was deleted is left out.
  rows.nodes.delete("n2");
  expect([...exportLines(rows, () => "KNOWLEDGE")].map(({ kind }) => kind)).toEqual([
    ...["agent", "node", "cluster", "membership", "conflict"],
  ]);
});

test("a memory that was written and read again has the same sections, answers and scores", async () => {
  await init();
  const fileAt = (path: string) => new URL(`../../../js/${path}`, import.meta.url);
  const words = new Embedder(readFileSync(fileAt("embedder/tables/nous-128.bin")));
  const opening = { name: "", now: MODIFIED, words, wrong: [], wrongCount: 0 } as const;
  const heldOf = (lines: Iterable<string>, config: object) => {
    const rows = noRows();
    for (const line of lines) addLine(rows, line);
    return Held.open({ ...opening, wrong: [], rows, config, source: "files" }, () => {});
  };
  const sample = readFileSync(fileAt("page/dist/samples/general.jsonl"), "utf8").trim().split("\n");
  const first = await heldOf(sample, { sections: { subtypes: GENERAL_SUBTYPES } });
  const again = await heldOf(
    [...first.exportLines()].map((line) => JSON.stringify(line)),
    {},
  );
  expect(first.summary().bySection.EPISODIC).toBeGreaterThan(0);
  expect(again.summary().bySection).toEqual(first.summary().bySection);
  const ask = (held: Held) =>
    [
      "Which evening is without screens?",
      "What did we do in Oban?",
      "How do I bleed a radiator?",
    ].map((question) => held.index.ask(question, { limit: 20, now: MODIFIED }));
  expect(ask(again)).toEqual(ask(first));
  first.free();
  again.free();
  const wrong = { kind: "agent", preset: "general", sections: { fact: "x" } };
  expect(() => addRow(noRows(), wrong)).toThrow(/sections/);
});

test("a wrong row is refused with the field and the reason", () => {
  const refusal = (json: object) => {
    try {
      addRow(noRows(), json as never);
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refusal({ kind: "node" })).toBe("id: is missing");
  expect(refusal({ kind: "node", id: 3 })).toBe("id: must be a text");
  expect(refusal({ kind: "node", id: "a" })).toBe("type: is missing");
  expect(refusal({ kind: "node", id: "a", type: "note", content_title: 4 })).toBe(
    "content_title: must be a text",
  );
  expect(refusal({ kind: "edge", id: "e", source_id: "a" })).toBe("target_id: is missing");
  expect(refusal({ kind: "memo" })).toMatch(/^kind: must be/);
});

test("metrics become figures", () => {
  const text = [
    "# HELP nous_requests_total Requests.",
    'nous_requests_total{method="GET",route="/nodes",status="200"} 40',
    'nous_requests_total{method="GET",route="/nodes",status="404"} 2',
    'nous_request_seconds_sum{method="GET",route="/nodes"} 0.42',
    'nous_request_seconds_count{method="GET",route="/nodes"} 42',
    "nous_agents_open 3",
  ].join("\n");
  expect(metricsIn(text).slice(0, 4)).toEqual([
    { name: "Requests answered", value: "42" },
    { name: "Refused or failed", value: "2" },
    { name: "Mean time of an answer", value: "10 ms" },
    { name: "Agents open", value: "3" },
  ]);
});

describe("a list of a server", () => {
  afterEach(() => vi.unstubAllGlobals());

  /** Reads a memory whose list at a path names these next pages. Returns the asked cursors. */
  async function readWith(list: string, next: (asked: number) => string | null): Promise<string[]> {
    const answers: Record<string, object> = {
      "/v1/agent": { preset: "general", weights: null, stemming: true, types: {} },
      "/v1/learned": { learning: false },
    };
    const empty = { data: [], nodes: [], edges: [], clusters: [], memberships: [], node_count: 1 };
    const asked: string[] = [];
    vi.stubGlobal("location", new URL("http://localhost/"));
    vi.stubGlobal("fetch", async (request: string | URL | Request) => {
      const url = new URL(request instanceof Request ? request.url : request);
      const isList = url.pathname === list;
      if (isList) asked.push(url.searchParams.get("cursor") ?? "");
      const next_cursor = isList ? next(asked.length) : null;
      return Response.json({ ...empty, ...answers[url.pathname], next_cursor });
    });
    const server = new Server({ url: "http://localhost:3100", agent: "a", key: "" });
    const { pages } = await server.read(noRows(), () => {});
    for (let isLast = false; !isLast; ) isLast = (await pages.next()).done === true;
    return asked;
  }

  test("of a server that does not tell ids alone are read with all that they hold", async () => {
    const asked: string[] = [];
    vi.stubGlobal("location", new URL("http://localhost/"));
    vi.stubGlobal("fetch", async (request: string | URL | Request) => {
      const { pathname, search } = new URL(request instanceof Request ? request.url : request);
      const others = { preset: "general", weights: null, stemming: true, types: {}, data: [] };
      if (pathname !== "/v1/graph")
        return Response.json({ ...others, learning: false, node_count: 2, next_cursor: null });
      asked.push(search);
      const message = "is not a field of this request: its fields are limit, cursor";
      if (search !== "")
        return Response.json(
          { error: "the request is not valid", issues: [{ path: "nodes", message }] },
          { status: 400 },
        );
      const nodes = [{ id: "first" }, { id: "second" }];
      return Response.json({ nodes, edges: [], clusters: [], memberships: [], next_cursor: null });
    });
    const rows = noRows();
    const server = new Server({ url: "http://localhost:3100", agent: "a", key: "" });
    await server.read(rows, () => {});
    expect(asked).toEqual(["?nodes=ids", ""]);
    expect([...rows.places]).toEqual([
      ["first", 0],
      ["second", 1],
    ]);
  });

  test.each(["/v1/graph", "/v1/nodes", "/v1/contradiction/queue"])(
    "at %s ends with a sentence if its pages come again",
    async (list) => {
      const three = (asked: number) => ["a", "b", null][asked - 1] ?? null;
      expect(await readWith(list, three)).toEqual(["", "a", "b"]);
      expect(await readWith(list, (asked) => (asked > 90 ? null : `${asked}`))).toHaveLength(91);
      for (const circle of [["a"], ["a", "b"], ["a", "b", "c"]])
        await expect(readWith(list, (asked) => circle[asked % circle.length]!)).rejects.toThrow(
          /has no end: its pages come again\. Update the server/,
        );
      await expect(readWith(list, (asked) => `${asked}`)).rejects.toThrow(/has no end/);
    },
  );
});
