// The view Memories: files, what the browser keeps, servers, the list.

import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { TRAITS } from "nous-wasm";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { readExportLine } from "../../server/support/export-lines.ts";
import { keyIn } from "../../server/support/keys.ts";
import { type Running, start } from "../../server/support/server-process.ts";
import { temporaryFolder } from "../../server/support/temporary-folder.ts";
import { accessibilityFaults, faultsInAllLooks, sharedPage, visitPage } from "./support.ts";

const VIEW = "memories?memory=general";

const { browser, url, visit } = sharedPage();

const jsonl = (rows: readonly (object | string)[]) =>
  rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n");

const note = (id: string, content_title: string, content_body: string, day: number, more = {}) => ({
  ...{ kind: "node", id, type: "note", subtype: "custom:note", content_title, content_body },
  created_at: `2026-03-${String(day).padStart(2, "0")}T09:00:00Z`,
  ...more,
});

const NOTES = [
  { kind: "agent", preset: "general" },
  note("rent", "Rent", "The rent is 900 pounds a month.", 1, { tags: ["money"] }),
  note("raise", "Rent raised", "The rent is 950 pounds a month from April on.", 9),
  note("oak", "Oak table", "The oak table needs oil twice a year.", 4),
  { kind: "conflict", id: "q1", old_node_id: "rent", new_node_id: "raise", status: "pending" },
];

interface Given {
  name: string;
  text: string | Uint8Array;
}

/** Opens files as a visitor chooses them. */
const choose = (page: Page, ...files: Given[]) =>
  page.getByLabel("Choose files").setInputFiles(
    files.map(({ name, text }) => ({
      name,
      mimeType: "application/octet-stream",
      buffer: Buffer.from(text),
    })),
  );

const notes = { name: "notes.jsonl", text: jsonl(NOTES) };
const idsOf = (page: Page) =>
  page.locator(".record").evaluateAll((all) => all.map((it) => (it as HTMLElement).dataset.id));
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

describe("a guess that another memory replaces one", () => {
  const GUESSED = {
    name: "guessed.jsonl",
    text: jsonl([
      ...NOTES.slice(0, -1),
      {
        ...{ kind: "edge", id: "g1", type: "likely_supersedes", strength: 0.83 },
        ...{ source_id: "raise", target_id: "rent", created_at: "2026-03-09T09:00:00Z" },
      },
    ]),
  };

  /** The lines of the memory as it is, by downloading it. */
  const linesOf = async (page: Page): Promise<Record<string, unknown>[]> => {
    await page.goto(`${url()}#/memories?memory=yours`);
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download as JSONL" }).click();
    const text = await (await (await downloading).createReadStream()).toArray();
    const saved = Buffer.concat(text).toString("utf8").trim().split("\n");
    return saved.map((line): Record<string, unknown> => JSON.parse(line));
  };
  const edgesIn = (lines: readonly Record<string, unknown>[]) =>
    lines.filter(({ kind }) => kind === "edge");
  const stateIn = (lines: readonly Record<string, unknown>[]) =>
    lines.find(({ id }) => id === "rent")?.state_lifecycle ?? "ACTIVE";

  it.each([
    ["Confirm", "supersedes", "DORMANT"],
    ["Both hold", "relates_to", "ACTIVE"],
  ] as const)(
    "is told with the newer one, decided by “%s”, and undone",
    async (label, type, state) => {
      const { page, complaints, close } = await visit(VIEW);
      await choose(page, GUESSED);
      const told = page.locator('.record[data-id="rent"] .values li');
      await told.first().waitFor();
      const values = [
        "Rent — probably until 9 Mar 2026 (83\u00a0%)",
        "Rent raised — since 9 Mar 2026",
      ];
      const textsOf = async () =>
        (await told.allInnerTexts()).map((text) => text.split(/\s*Confirm/)[0]!.trim());
      expect(await textsOf()).toEqual(values);
      expect(await told.locator("strong").allInnerTexts()).toEqual(["Rent"]);
      await page.goto(`${url()}#/ask?memory=yours&q=what+is+the+rent`);
      const answers = page.locator(".answer");
      await answers.first().waitFor();
      expect(await answers.first().getAttribute("data-id")).toBe("raise");
      const newer = page.locator('.answer[data-id="raise"]');
      const older = page.locator('.answer[data-id="rent"]');
      // The list stands once, at the first of its memories.
      await expect.poll(() => page.locator(".values").count()).toBe(1);
      expect(await newer.locator(".values a").innerText()).toBe("Rent");
      expect(await older.locator(".note").innerText()).toBe(
        "Earlier; since 9 Mar 2026: “Rent raised” (83\u00a0%).",
      );
      expect(await faultsInAllLooks(page)).toEqual([]);
      await newer.getByRole("button", { name: label }).click();
      await expect.poll(() => newer.getByRole("button", { name: label }).count()).toBe(0);
      await newer.getByRole("button", { name: /^Undo ?: Rent/ }).waitFor();
      if (label === "Confirm")
        expect(
          (await newer.locator(".values li").first().innerText()).replace(/\s+/g, " "),
        ).toMatch(/^Rent — until 9 Mar 2026 ?Undo/);
      else expect(await newer.locator(".note").innerText()).toMatch(/^Holds beside “Rent”\./);
      const lines = await linesOf(page);
      expect(edgesIn(lines)).toEqual([expect.objectContaining({ id: "g1", type })]);
      expect(stateIn(lines)).toBe(state);
      const record = page.locator('.record[data-id="rent"]');
      await record.getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => record.getByRole("button", { name: "Undo" }).count()).toBe(0);
      expect(await textsOf()).toEqual(values);
      const after = await linesOf(page);
      expect(edgesIn(after)).toEqual([
        expect.objectContaining({ id: "g1", type: "likely_supersedes", strength: 0.83 }),
      ]);
      expect(stateIn(after)).toBe("ACTIVE");
      // Nothing is left that the undo of the list would undo.
      expect(await page.getByRole("button", { name: "Undo", exact: true }).count()).toBe(0);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it("is decided together with its conflict, in either place", async () => {
    const { page, complaints, close } = await visit(VIEW);
    await choose(page, {
      name: "both.jsonl",
      text: `${GUESSED.text}\n${JSON.stringify(NOTES.at(-1))}`,
    });
    const record = page.locator('.record[data-id="rent"]');
    const pairs = page.locator(".conflict-pair");
    const statusIn = (lines: readonly Record<string, unknown>[]) =>
      lines.find(({ kind }) => kind === "conflict")?.status;
    await expect.poll(() => pairs.count()).toBe(1);
    await record.getByRole("button", { name: "Confirm" }).click();
    await expect.poll(() => pairs.count()).toBe(0);
    expect(statusIn(await linesOf(page))).toBe("resolved");
    await record.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => pairs.count()).toBe(1);
    expect(statusIn(await linesOf(page))).toBe("pending");
    await page.getByRole("group", { name: "Conflict about Rent" }).getByText(/both/i).click();
    await expect.poll(() => pairs.count()).toBe(0);
    await record.locator(".note").waitFor();
    expect(await page.locator(".values").count()).toBe(0);
    const lines = await linesOf(page);
    expect(statusIn(lines)).toBe("resolved");
    expect(edgesIn(lines)).toEqual([expect.objectContaining({ id: "g1", type: "relates_to" })]);
    await page.getByRole("button", { name: "Undo the last change" }).click();
    await expect.poll(() => pairs.count()).toBe(1);
    expect(await page.locator(".browse .values").count()).toBe(2);
    expect(complaints).toEqual([]);
    await close();
  });

  it("is part of the values of its fact, in the order of time, with what is sure", async () => {
    const { page, close } = await visit(VIEW);
    const edge = (id: string, newer: string, older: string, type: string) => ({
      ...{ kind: "edge", id, type, strength: 0.7, source_id: newer, target_id: older },
      created_at: "2026-03-20T09:00:00Z",
    });
    const home = (id: string, day: number, text: string) => note(id, text, "", day);
    await choose(page, {
      name: "homes.jsonl",
      text: jsonl([
        ...[NOTES[0]!, home("graz", 1, "I live in Graz"), home("linz", 3, "I live in Linz")],
        ...[home("wels", 8, "I live in Wels"), home("tea", 9, "I drink tea")],
        ...[
          edge("e1", "linz", "graz", "supersedes"),
          edge("e2", "wels", "linz", "likely_supersedes"),
        ],
      ]),
    });
    for (const id of ["graz", "linz", "wels"]) {
      const items = page.locator(`.record[data-id="${id}"] .values li`);
      await items.first().waitFor();
      const texts = (await items.allInnerTexts()).map((text) =>
        text.split(/\s*Confirm/)[0]!.trim(),
      );
      expect(texts).toEqual([
        "I live in Graz — until 3 Mar 2026",
        "I live in Linz — probably until 8 Mar 2026 (70\u00a0%)",
        "I live in Wels — since 8 Mar 2026",
      ]);
    }
    expect(await page.locator('.record[data-id="tea"] .values').count()).toBe(0);
    // What was sure before this visit is not taken back by a click.
    expect(await page.getByRole("button", { name: /^Undo/ }).count()).toBe(0);
    await page
      .locator('.record[data-id="graz"]')
      .getByRole("button", { name: "Both hold" })
      .click();
    const graz = page.locator('.record[data-id="graz"] .values li');
    await expect.poll(() => graz.count()).toBe(2);
    // The value in the middle is deleted: the last one stays alone, and so does the first.
    await page.getByRole("button", { name: "Delete I live in Linz" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => page.locator(".values").count()).toBe(0);
    await expect.poll(() => page.locator(".note").count()).toBe(0);
    await close();
  });
});

describe("conflicts", () => {
  const PAIRS = ["q1", "q2", "q3"].map((id, place) => ({
    ...{ kind: "conflict", id, status: "pending" },
    ...{ old_node_id: ["rent", "rent", "oak"][place], new_node_id: "raise" },
    ...(place === 0 ? { detection_confidence: 0.83 } : {}),
  }));

  it("are decided with the keyboard, one after the other, and taken back", async () => {
    const { page, complaints, close } = await visit(VIEW);
    await choose(page, { name: "pairs.jsonl", text: jsonl([...NOTES.slice(0, -1), ...PAIRS]) });
    const section = page.getByRole("region", { name: "Conflicts" });
    await section.getByRole("heading", { name: "3 conflicts" }).waitFor();
    // How sure a conflict is stands where somebody has told it.
    const likely = section.getByText("likely that the newer one replaces it");
    expect(await likely.allInnerTexts()).toEqual([
      "83\u00a0% likely that the newer one replaces it",
    ]);
    const idOfFocus = () =>
      page.evaluate(() => document.activeElement?.closest("li")?.getAttribute("data-id"));
    for (const [label, told] of [
      ["Newer replaces older", "The newer one replaces the older one."],
      ["Keep both", "Both are kept."],
      ["Older stands", "The older one stands."],
    ] as const) {
      const before = await section.locator("li").first().getAttribute("data-id");
      const after = await section.locator("li").nth(1).getAttribute("data-id");
      await section.getByRole("button", { name: label }).first().press("Enter");
      await section.getByText(told).waitFor();
      await expect.poll(() => section.locator("li").count()).toBe(2);
      await expect.poll(idOfFocus).toBe(after);
      await section.getByRole("button", { name: "Undo" }).press("Enter");
      await expect.poll(() => section.locator("li").count()).toBe(3);
      await expect.poll(idOfFocus).toBe(before);
      expect(await section.getByText(told).count()).toBe(0);
    }
    for (let left = 2; left >= 0; left -= 1) {
      await section.getByRole("button", { name: "Keep both" }).first().press("Enter");
      await expect.poll(() => section.locator("li").count()).toBe(left);
    }
    await section.getByRole("heading", { name: "No conflicts" }).waitFor();
    await expect.poll(() => section.evaluate((it) => it === document.activeElement)).toBe(true);
    // The undo of the memory takes the last one back, too.
    await page.getByRole("button", { name: "Undo the last change" }).click();
    await section.getByRole("heading", { name: "One conflict" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("wait again in a memory that is kept, without what a decision made", async () => {
    const { page, close } = await visit(VIEW);
    await choose(page, { name: "kept.jsonl", text: jsonl(NOTES) });
    await page.getByRole("button", { name: "Keep in this browser" }).click();
    await page.getByText("Kept. It opens").waitFor();
    await page.getByRole("button", { name: "Older stands" }).click();
    const section = page.getByRole("region", { name: "Conflicts" });
    await section.getByRole("button", { name: "Undo" }).click();
    await section.getByRole("heading", { name: "One conflict" }).waitFor();
    await page.reload();
    await section.getByRole("heading", { name: "One conflict" }).waitFor();
    expect(await page.locator(".open-memory .facts").first().innerText()).not.toContain("link");
    await close();
  });
});

describe("files", () => {
  it("open beside wrong lines, which are listed with number and reason", async () => {
    const { page, complaints, requests, close } = await visit(VIEW);
    const before = requests.length;
    await choose(
      page,
      { name: "some.jsonl", text: jsonl([...NOTES, "oops", { kind: "node", id: "x" }]) },
      { name: "garden.md", text: "# Garden\nBeans go out in May.\n## Shed\nThe key hangs left." },
      { name: "photo.jpg", text: new Uint8Array(500).fill(255) },
    );
    await heading(page, "3 files").waitFor();
    const places = await page.locator(".wrong tbody tr").allInnerTexts();
    expect(places.map((place) => place.replaceAll("\t", " | "))).toEqual([
      "some.jsonl | line 6 | It is not JSON.",
      "some.jsonl | line 7 | The field “type” is missing.",
      expect.stringMatching(/^photo\.jpg \| the file \| This is no text/),
    ]);
    await expect.poll(() => idsOf(page)).toHaveLength(5);
    await page.goto(`${url()}#/ask?memory=yours&q=where+is+the+key+of+the+shed`);
    await page.locator(".answer").getByText("The key hangs left.").first().waitFor();
    expect(complaints).toEqual([]);
    // Nothing but files of the page was asked for.
    expect(requests.slice(before).filter((each) => !each.startsWith(url()))).toEqual([]);
    await close();
  });

  it("open from archives of ChatGPT and Claude", async () => {
    const { page, close } = await visit(VIEW);
    const turn = (id: string, parent: string | null, role: string, text: string) => ({
      [id]: {
        parent,
        message: {
          id,
          author: { role },
          create_time: 1_770_000_000,
          content: { content_type: "text", parts: [text] },
        },
      },
    });
    const chatgpt = [
      {
        id: "talk",
        title: "Oat milk",
        create_time: 1_770_000_000,
        mapping: {
          ...turn("a", null, "user", "Which foams?"),
          ...turn("b", "a", "assistant", "X"),
        },
        current_node: "b",
      },
    ];
    const claude = [
      {
        uuid: "trip",
        name: "Trip",
        created_at: "2026-02-03T08:00:00Z",
        chat_messages: [{ uuid: "m1", sender: "human", text: "Where to?" }],
      },
    ];
    const archive = (json: object) =>
      zipSync({
        "export/conversations.json": strToU8(JSON.stringify(json)),
        "export/user.json": strToU8("{}"),
      });
    await choose(
      page,
      { name: "chatgpt.zip", text: archive(chatgpt) },
      { name: "claude.zip", text: archive(claude) },
    );
    await heading(page, "2 files").waitFor();
    await expect.poll(async () => (await idsOf(page)).toSorted()).toEqual(["a", "b", "m1"]);
    expect(await page.locator(".record .run").allInnerTexts()).toContain("Oat milk");
    await close();
  });

  it("that were downloaded open with the sections and the answers from before", async () => {
    const { page, complaints, close } = await visit(VIEW);
    const sections = page.locator(".open-memory .section");
    const download = async () => {
      const downloading = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download as JSONL" }).click();
      return Buffer.concat(await (await (await downloading).createReadStream()).toArray());
    };
    await sections.first().waitFor();
    const before = await sections.allInnerTexts();
    expect(before).toContain("Episodic 358");
    const text = await download();
    await choose(page, { name: "again.jsonl", text });
    await heading(page, "again.jsonl").waitFor();
    expect(await sections.allInnerTexts()).toEqual(before);
    // The second download tells the same, and so does what the browser keeps.
    expect(await download()).toEqual(text);
    await page.getByRole("button", { name: "Keep in this browser" }).click();
    await page.getByText("Kept. It opens").waitFor();
    await page.reload();
    await heading(page, "again.jsonl").waitFor();
    expect(await sections.allInnerTexts()).toEqual(before);
    expect(complaints).toEqual([]);
    await close();
  });

  it("of an agent that has learned open without its learned weights, and keep them", async () => {
    const { page, complaints, close } = await visit(VIEW);
    const numbers = Object.fromEntries(TRAITS.map((trait) => [trait, 0.5]));
    const learned = { kind: "learned", steps: 12, shifts: numbers, means: numbers };
    const wrong = { ...learned, steps: 0 };
    await choose(page, { name: "taught.jsonl", text: jsonl([learned, ...NOTES, wrong]) });
    await heading(page, "taught.jsonl").waitFor();
    await page.getByText("It holds learned weights, of 12 steps.").waitFor();
    expect(await page.locator(".wrong tbody tr").allInnerTexts()).toEqual([
      "taught.jsonl\tline 7\tThe field “steps” must be a whole number above 0.",
    ]);
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download as JSONL" }).click();
    const text = await (await (await downloading).createReadStream()).toArray();
    const lines = Buffer.concat(text).toString().trim().split("\n");
    const { kind, ...fields } = learned;
    expect(lines.map((line) => readExportLine(line))).toContainEqual({ kind, learned: fields });
    expect(complaints).toEqual([]);
    await close();
  });

  it("that hold nothing are refused with a sentence, and the memory before stays", async () => {
    const { page, complaints, close } = await visit(VIEW);
    await choose(page, { name: "other.json", text: '[{"a":1}]' });
    await page.getByRole("alert").filter({ hasText: "This is JSON, but no export" }).waitFor();
    await heading(page, "Sample: A household").waitFor();
    await choose(page, { name: "cut.zip", text: "PK\u0003\u0004cut" });
    await page.getByRole("alert").filter({ hasText: "The archive is damaged" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("of 100,000 memories open without freezing the page", async () => {
    const { page, complaints, close } = await visit(VIEW);
    const words = ["milk", "rent", "ferry", "table", "garden", "invoice", "birthday", "train"];
    const lines: object[] = [];
    for (let at = 0; at < 100_000; at += 1) {
      const [first, second] = [words[at % 8], words[(at >> 3) % 8]];
      lines.push(note(`n${at}`, "", `Note ${at}: ${first} and ${second}.`, 1 + (at % 28)));
    }
    await page.evaluate(() => {
      const longest = { ms: 0 };
      Object.assign(globalThis, { longest });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) longest.ms = Math.max(longest.ms, duration);
      }).observe({ type: "longtask" });
    });
    // From the disk: bytes that the test hands over would pass through the page.
    const file = join(temporaryFolder(), "many.jsonl");
    writeFileSync(file, jsonl(lines));
    await page.getByLabel("Choose files").setInputFiles(file);
    const start = performance.now();
    await heading(page, "many.jsonl").waitFor({ timeout: 170_000 });
    const seconds = (performance.now() - start) / 1000;
    await page.getByLabel("Words").fill("ferry 99994");
    await expect.poll(() => idsOf(page), { timeout: 20_000 }).toEqual(["n99994"]);
    const longest = await page.evaluate(
      () => (globalThis as unknown as { longest: { ms: number } }).longest.ms,
    );
    console.info(`100,000 memories: ${seconds.toFixed(1)} s, longest task ${longest} ms`);
    // Without the worker the page would stand still for seconds. A busy machine takes its share.
    expect(longest).toBeLessThan(1_000);
    expect(complaints).toEqual([]);
    await close();
  }, 240_000);
});

describe("the list", () => {
  it("filters, edits, deletes, undoes, resolves and exports with the keyboard", async () => {
    const { page, complaints, close } = await visit(VIEW);
    await choose(page, notes);
    await heading(page, "notes.jsonl").waitFor();
    await expect.poll(() => idsOf(page)).toEqual(["raise", "oak", "rent"]);
    await page.getByLabel("Words").focus();
    await page.keyboard.type("oak");
    await expect.poll(() => idsOf(page)).toEqual(["oak"]);
    await expect.poll(() => page.url()).toContain("find=oak");
    // Edit: Enter opens the form, and its first field has the focus.
    await page.getByRole("button", { name: "Edit Oak table" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Title").and(page.locator(":focus")).waitFor();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type("Oak desk");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Oak desk" }).waitFor();
    // Delete: the dialog has the focus; Escape leaves the memory.
    await page.getByRole("button", { name: "Delete Oak desk" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    // The element: its role is gone at once, but the page learns a moment later that it was closed.
    await page.locator("dialog").waitFor({ state: "detached" });
    await expect.poll(() => idsOf(page)).toEqual(["oak"]);
    await page.getByRole("button", { name: "Delete Oak desk" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("No memory passes the filters.").waitFor();
    // Undo twice: the deletion, then the edit.
    for (const title of ["Oak desk", "Oak table"]) {
      await page.getByRole("button", { name: "Undo the last change" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: title }).waitFor();
    }
    await page.getByRole("button", { name: "Clear the filters" }).press("Enter");
    await page.getByRole("button", { name: "Newer replaces older" }).press("Enter");
    await page.getByRole("heading", { name: "No conflicts" }).waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download as JSONL" }).press("Enter");
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("notes.jsonl");
    const text = await (await download.createReadStream()).toArray();
    const rows = Buffer.concat(text)
      .toString()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows).toContainEqual(
      expect.objectContaining({ kind: "node", id: "rent", state_lifecycle: "DORMANT" }),
    );
    expect(rows).toContainEqual(
      expect.objectContaining({ type: "supersedes", source_id: "raise", target_id: "rent" }),
    );
    expect(rows).toContainEqual(
      expect.objectContaining({
        kind: "conflict",
        status: "resolved",
        resolution: "new_is_current",
      }),
    );
    expect(complaints).toEqual([]);
    await close();
  });

  it("opens the form of an edit with the focus in it: later it would be taken from another field", async () => {
    const { page, close } = await visit(VIEW);
    await choose(page, notes);
    await heading(page, "notes.jsonl").waitFor();
    const focused = await page.getByRole("button", { name: "Edit Oak table" }).evaluate(
      (button: HTMLElement) =>
        new Promise((resolve) => {
          new MutationObserver(() => {
            const form = document.querySelector("form.edit");
            if (form !== null) resolve(form.contains(document.activeElement));
          }).observe(document.body, { childList: true, subtree: true });
          button.click();
        }),
    );
    expect(focused).toBe(true);
    await close();
  });

  it("filters by section, kind, tag and date, and turns pages", async () => {
    const { page, close } = await visit(VIEW);
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("2 of 15").waitFor();
    await choose(page, notes);
    await heading(page, "notes.jsonl").waitFor();
    await page.getByRole("combobox", { name: /^Tag/ }).selectOption("money");
    await expect.poll(() => idsOf(page)).toEqual(["rent"]);
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await page.getByLabel("From").fill("2026-03-04");
    await page.getByLabel("To", { exact: true }).fill("2026-03-09");
    await page.getByLabel("Order").selectOption("oldest");
    await expect.poll(() => idsOf(page)).toEqual(["oak", "raise"]);
    await page.getByLabel("Section").selectOption("SIGNALS");
    await expect.poll(() => idsOf(page)).toEqual([]);
    await close();
  });

  it("says one day, and a text that is its own title, once", async () => {
    const { page, close } = await visit(VIEW);
    const rows = [
      note("oak", "Oil the oak.", "Oil the oak.", 4),
      note("rent", "Rent", "900 a month.", 4),
    ];
    await choose(page, { name: "notes.jsonl", text: jsonl(rows) });
    await heading(page, "notes.jsonl").waitFor();
    expect(await page.locator(".open-memory .facts").first().innerText()).toMatch(
      /2 memories\s+4 Mar 2026$/,
    );
    const shown = await page.locator(".record .body").allInnerTexts();
    expect(shown.map((text) => text.match(/Oil the oak|900 a month/g))).toEqual([
      ["900 a month"],
      ["Oil the oak"],
    ]);
    await close();
  });

  it("has no faults in both themes, narrow and wide", async () => {
    const { page, complaints, close } = await visit(VIEW);
    await choose(page, { ...notes, text: `${notes.text}\noops` });
    await heading(page, "notes.jsonl").waitFor();
    await page.getByText("Open another memory").click();
    await page.getByRole("button", { name: "Edit Oak table" }).click();
    await page.getByLabel("Title").waitFor();
    const faults = await faultsInAllLooks(page);
    await page.getByRole("button", { name: "Delete Rent raised" }).click();
    await page.getByRole("dialog").waitFor();
    faults.push(...(await accessibilityFaults(page)));
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});

/** Returns all that the browser keeps, as text. */
const keptText = (page: Page) =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await done(indexedDB.open("nous-page"));
    const names = Array.from(database.objectStoreNames);
    const all = database.transaction(names);
    const stores = names.map((name) => done(all.objectStore(name).getAll()));
    const text = JSON.stringify(await Promise.all(stores));
    database.close();
    return text;
  });

describe("keeping", () => {
  it("leaves nothing of a deleted or changed text, and keeps it again after an undo", async () => {
    const { page, complaints, close } = await visit(VIEW);
    await choose(page, notes);
    await heading(page, "notes.jsonl").waitFor();
    await page.getByRole("button", { name: "Keep in this browser" }).click();
    await page.getByText("Kept. It opens").waitFor();
    await page.getByRole("button", { name: "Edit Rent", exact: true }).click();
    await page.getByLabel("Title").fill("Old rent");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator('.record[data-id="rent"]').getByText("Old rent").waitFor();
    const texts = ["900 pounds", "Old rent", "950 pounds", "oil twice"];
    const left = async () => {
      const text = await keptText(page);
      return texts.filter((part) => text.includes(part));
    };
    expect(await left()).toEqual(texts);
    // The title before the change is gone.
    expect(await keptText(page)).not.toMatch(/content_title\W+Rent[\\"]/);
    await page.getByRole("button", { name: "Delete Old rent" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => idsOf(page)).toEqual(["raise", "oak"]);
    await expect.poll(left).toEqual(["950 pounds", "oil twice"]);
    await page.getByRole("button", { name: "Undo the last change" }).click();
    await expect.poll(left).toEqual(texts);
    await page.reload();
    await expect.poll(() => idsOf(page)).toEqual(["raise", "oak", "rent"]);
    // Its conflict is there, too.
    await page.getByRole("button", { name: "Newer replaces older" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("keeps a memory with its changes, and deletes it for good", async () => {
    const { page, complaints, close } = await visit(VIEW);
    const databases = () =>
      page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
    await choose(page, notes);
    await heading(page, "notes.jsonl").waitFor();
    expect(await databases()).toEqual([]);
    await page.getByRole("button", { name: "Keep in this browser" }).click();
    await page
      .getByText("Kept in this browser, with its changes.")
      .or(page.getByText("Kept. It opens"))
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Delete Oak table" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Edit Rent", exact: true }).click();
    await page.getByLabel("Title").fill("Old rent");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Old rent" }).first().waitFor();
    expect(page.url()).toContain("memory=yours");
    await page.reload();
    await heading(page, "notes.jsonl").waitFor();
    await expect.poll(() => idsOf(page)).toEqual(["raise", "rent"]);
    await page.locator('.record[data-id="rent"]').getByText("Old rent").waitFor();
    // It asks before: Escape and Cancel keep what is kept, and the button has the focus again.
    const forget = page.getByRole("button", { name: "Delete what is kept" }).first();
    for (const leave of ["Escape", "Cancel"]) {
      await forget.click();
      await page.getByRole("dialog", { name: "Delete what is kept?" }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      if (leave === "Escape") await page.keyboard.press(leave);
      else await page.getByRole("dialog").getByRole("button", { name: leave }).click();
      await page.locator("dialog").waitFor({ state: "detached" });
      expect(await forget.evaluate((it) => it === document.activeElement)).toBe(true);
      expect(await databases()).toHaveLength(1);
    }
    await forget.click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Keep in this browser" }).waitFor();
    expect(await databases()).toEqual([]);
    await page.reload();
    await page.getByText("Nothing is kept in this browser").waitFor();
    expect(await databases()).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});

describe("a server", () => {
  const NODES = [
    { type: "note", content_title: "Rent", content_body: "The rent is 900.", id: "rent" },
    { type: "note", content_title: "New rent", content_body: "The rent is 950.", id: "raise" },
    { type: "note", content_title: "Oak table", content_body: "Oil it.", id: "oak" },
  ];

  async function filled(options: readonly string[] = []): Promise<Running> {
    const server = await start(temporaryFolder(), options);
    for (const node of NODES) expect((await server.ask("POST /nodes", node)).status).toBe(201);
    await server.ask("POST /contradiction/queue", { old_node_id: "rent", new_node_id: "raise" });
    return server;
  }

  const connect = async (page: Page, url: string, { agent = "default", key = "" } = {}) => {
    const another = page.getByText("Open another memory");
    if (await another.isVisible()) await another.click();
    // With the keyboard alone: Tab selects the content of the next field.
    await page.getByLabel("Address").focus();
    await page.keyboard.press("ControlOrMeta+A");
    for (const [place, text] of [url, agent, key].entries()) {
      if (place > 0) await page.keyboard.press("Tab");
      await page.keyboard.press(text === "" ? "Delete" : "ControlOrMeta+A");
      await page.keyboard.type(text);
    }
    await page.keyboard.press("Enter");
  };
  const says = (page: Page, text: string) =>
    page.getByRole("alert").filter({ hasText: text }).first().waitFor();

  it("has the agent that is open in its form, also if others have memories", async () => {
    const server = await filled();
    const other = { "x-nous-agent": "other" };
    expect((await server.ask("POST /nodes", NODES[0], other)).status).toBe(201);
    for (const agent of ["other", "default"]) {
      const at = `memories?memory=server&agent=${agent}`;
      const { page, close } = await visitPage(browser(), `${server.url}/`, at);
      await heading(page, `Agent “${agent}”`).waitFor();
      await page.getByText("Open another memory").click();
      expect(await page.getByLabel("Agent", { exact: true }).inputValue()).toBe(agent);
      expect(await page.getByLabel("Address").inputValue()).toBe(server.url);
      await close();
    }
  });

  it("lets a conflict wait again that was decided", async () => {
    const server = await filled();
    const { page, complaints, close } = await visitPage(browser(), `${server.url}/`, "memories");
    const section = page.getByRole("region", { name: "Conflicts" });
    const stateOf = async (id: string) =>
      (await server.ask(`GET /nodes/${id}?recall=false`)).body.state_lifecycle;
    for (const label of ["Older stands", "Keep both", "Newer replaces older"]) {
      await section.getByRole("button", { name: label }).click();
      await section.getByRole("heading", { name: "No conflicts" }).waitFor();
      expect((await server.ask("GET /edges?node_id=rent")).body.data).toHaveLength(1);
      await section.getByRole("button", { name: "Undo" }).click();
      await section.getByRole("heading", { name: "One conflict" }).waitFor();
      expect((await server.ask("GET /edges?node_id=rent")).body.data).toEqual([]);
      expect(await Promise.all([stateOf("rent"), stateOf("raise")])).toEqual(["ACTIVE", "ACTIVE"]);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it("that ranks by six signals says so, and Sections shows that ranking first", async () => {
    const server = await filled(["--ranking", "signals"]);
    const at = (view: string) => visitPage(browser(), `${server.url}/`, view);
    const memories = await at("memories");
    await memories.page
      .getByText("The server ranks by six signals, the page by evidence")
      .waitFor();
    await memories.close();
    const { page, close } = await at("sections?q=rent");
    await page.locator(".moved li").first().waitFor();
    expect(await page.getByLabel("By six signals").isChecked()).toBe(true);
    await page.getByText("By evidence").click();
    await page.getByText("With other weights trust the order").waitFor();
    await page.goto(`${server.url}/#/context?q=rent`);
    await page.getByText("if it ranks by evidence: this one ranks by six signals").waitFor();
    await close();
  });

  it("decides a guess, and undoes that", async () => {
    const server = await filled();
    const guess = { source_id: "raise", target_id: "oak", type: "likely_supersedes" };
    expect((await server.ask("POST /edges", { ...guess, strength: 0.8 })).status).toBe(201);
    const { page, complaints, close } = await visitPage(browser(), `${server.url}/`, "memories");
    const older = page.locator('.record[data-id="oak"]');
    await older.getByRole("button", { name: "Confirm" }).click();
    await expect.poll(() => older.getByRole("button", { name: "Confirm" }).count()).toBe(0);
    expect(await older.locator(".problem").count()).toBe(0);
    const edges = (await server.ask("GET /edges?node_id=oak")).body.data;
    const types = edges.map(({ type }: { type: string }) => type);
    expect(types).toContain("supersedes");
    expect(types).not.toContain("likely_supersedes");
    expect((await server.ask("GET /nodes/oak?recall=false")).body.state_lifecycle).toBe("DORMANT");
    await older.getByRole("button", { name: "Undo" }).click();
    await older.getByRole("button", { name: "Both hold" }).waitFor();
    expect((await server.ask("GET /nodes/oak?recall=false")).body.state_lifecycle).toBe("ACTIVE");
    expect((await server.ask("GET /edges?node_id=oak")).body.data).toMatchObject([
      { type: "likely_supersedes", strength: 0.8 },
    ]);
    await older.getByRole("button", { name: "Both hold" }).click();
    await older.locator(".note").waitFor();
    await older.getByRole("button", { name: "Undo" }).click();
    await older.locator(".values").waitFor();
    expect((await server.ask("GET /edges?node_id=oak")).body.data).toMatchObject([
      { type: "likely_supersedes" },
    ]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("decides about memories as they were seen: a later version is shown first", async () => {
    const server = await filled();
    const tea = { id: "tea", content_title: "Green tea", type: "note" };
    expect((await server.ask("POST /nodes", tea)).status).toBe(201);
    const guess = { source_id: "raise", target_id: "oak", type: "likely_supersedes" };
    expect((await server.ask("POST /edges", { ...guess, strength: 0.8 })).status).toBe(201);
    const { page, complaints, close } = await visitPage(browser(), `${server.url}/`, "memories");
    const oak = page.locator('.record[data-id="oak"]');
    const pairs = page.getByRole("region", { name: "Conflicts" });
    const stateOf = async (id: string) =>
      (await server.ask(`GET /nodes/${id}?recall=false`)).body.state_lifecycle;
    // As long as somebody edits, the list stays as it is, and the worker knows more.
    await page.getByRole("button", { name: "Edit Green tea" }).click();
    const news = page.locator(".news");
    // Another text would leave no guess.
    const changed = async (id: string) => {
      if (await news.locator("p").isVisible())
        await news.getByRole("button", { name: "Hide" }).click();
      await server.ask(`PATCH /nodes/${id}`, { tags: ["seen"] });
      await news.getByText("1 memory changed").waitFor();
    };
    const refused = async (within: Locator) => {
      await within.getByRole("alert").getByText("Somebody changed this memory").waitFor();
    };
    await changed("oak");
    await oak.getByRole("button", { name: "Confirm" }).click();
    await refused(oak);
    expect(await stateOf("oak")).toBe("ACTIVE");
    await oak.locator(".tags").getByText("seen").waitFor();
    await oak.getByRole("button", { name: "Confirm" }).click();
    await oak.getByRole("button", { name: "Undo" }).waitFor();
    expect(await stateOf("oak")).toBe("DORMANT");
    await changed("raise");
    await oak.getByRole("button", { name: "Undo" }).click();
    await refused(oak);
    expect(await stateOf("oak")).toBe("DORMANT");
    await page.locator('.record[data-id="raise"] .tags').getByText("seen").waitFor();
    await oak.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => stateOf("oak")).toBe("ACTIVE");
    await changed("rent");
    const resolve = pairs.getByRole("button", { name: "Older stands" }).first();
    await resolve.click();
    await refused(pairs);
    expect(await stateOf("raise")).toBe("ACTIVE");
    await page.locator('.record[data-id="rent"] .tags').getByText("seen").waitFor();
    await resolve.click();
    await expect.poll(() => stateOf("raise")).toBe("DORMANT");
    expect(complaints).toEqual([]);
    await close();
  });

  it("that serves the page opens by itself, and takes every change first", async () => {
    const server = await filled();
    const { page, complaints, close } = await visitPage(browser(), `${server.url}/`, "memories");
    await heading(page, "Agent “default”").waitFor();
    expect(await page.getByLabel("Memory", { exact: true }).inputValue()).toBe("here");
    await page.getByText("Ready").waitFor();
    // The page says what leaves it.
    const { host } = new URL(server.url);
    const footer = page.locator("footer");
    await footer.getByText("sends there what you add, edit and delete").waitFor();
    expect(await footer.innerText()).toContain(host);
    expect(await page.locator(".lead").innerText()).toContain("goes to the server");
    await page.getByText("Requests answered").waitFor();
    // The newest first.
    await expect.poll(() => idsOf(page)).toEqual(["oak", "raise", "rent"]);
    await page.getByRole("button", { name: "Edit Oak table" }).click();
    await page.getByLabel("Tags, with commas between").fill("wood, oil");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".record .tags").getByText("wood").waitFor();
    expect((await server.ask("GET /nodes/oak?recall=false")).body.tags).toEqual(["wood", "oil"]);
    // Somebody else changes it meanwhile: the edit is refused, and the memory is shown anew.
    await page.getByRole("button", { name: "Edit Oak table" }).click();
    await server.ask("PATCH /nodes/oak", { content_title: "Oak desk" });
    // The page follows: what it knows by now is not what the form began with.
    await page.waitForTimeout(1_500);
    await page.getByLabel("Title").fill("Mine");
    await page.getByRole("button", { name: "Save" }).click();
    await says(page, "Somebody changed this memory meanwhile");
    expect((await server.ask("GET /nodes/oak?recall=false")).body.content_title).toBe("Oak desk");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("heading", { name: "Oak desk" }).waitFor();
    // A deletion is one of the version that the question names, too.
    await page.getByRole("button", { name: "Delete Oak desk" }).click();
    await server.ask("PATCH /nodes/oak", { content_title: "Oak bench" });
    await page.getByRole("status").getByText("1 memory changed").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await says(page, "Somebody changed this memory meanwhile");
    expect((await server.ask("GET /nodes/oak?recall=false")).body.content_title).toBe("Oak bench");
    await page.getByRole("button", { name: "Delete Oak bench" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => idsOf(page)).toEqual(["raise", "rent"]);
    expect((await server.ask("GET /nodes/oak")).status).toBe(404);
    // The server may have found the same conflict itself.
    await page.getByRole("button", { name: "Older stands" }).first().click();
    const stateOf = async (id: string) =>
      (await server.ask(`GET /nodes/${id}?recall=false`)).body.state_lifecycle;
    await expect.poll(() => stateOf("raise")).toBe("DORMANT");
    expect(await accessibilityFaults(page)).toEqual([]);
    // The refusal is the server's answer 412.
    expect(complaints.filter((text) => !text.includes("412"))).toEqual([]);
    // The samples stay there to choose.
    await page.getByLabel("Memory", { exact: true }).selectOption("trader");
    await heading(page, "Sample: A trader").waitFor();
    await close();
  });

  it("that ranks by learned weights says that the page does not", async () => {
    const server = await filled(["--learning", "on"]);
    const { page, close } = await visitPage(browser(), `${server.url}/`, "memories");
    await heading(page, "Agent “default”").waitFor();
    expect(await page.getByText("learned weights").count()).toBe(0);
    const feedback = { question: "What is the rent?", shown: ["rent", "oak"], used: ["rent"] };
    const { body } = await server.ask("POST /search/feedback", feedback);
    expect(body.counted).toBe(2);
    await page.reload();
    await page.getByText("The server ranks by learned weights, too.").waitFor();
    await close();
  });

  it("without a key, with a wrong one, and without rights says what to do", async () => {
    const server = await filled(["--cors-origins", url().replace(/\/$/, "")]);
    const made = async (agents: "all" | string[]) => {
      const rights = { agents, scopes: ["memory" as const], creates_agents: true };
      return (await keyIn(server.dataDir, rights)).key;
    };
    const [key, other] = [await made("all"), await made(["alice"])];
    await expect.poll(async () => (await server.ask("GET /nodes")).status).toBe(401);
    const { page, close } = await visit(VIEW);
    await connect(page, server.url);
    await says(page, "The server needs a key");
    await connect(page, server.url, { key: "wrong" });
    await says(page, "does not know this key");
    await connect(page, server.url, { key: other });
    await says(page, "The server refused: the key is not for this agent");
    await connect(page, server.url, { key });
    await heading(page, "Agent “default”").waitFor();
    await page.getByText("No metrics: The key may not read metrics").waitFor();
    // The key is nowhere but in memory.
    expect(page.url()).not.toContain(key);
    expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
    await close();
  });

  it("that does not let the page in, or is not there, says what to do", async () => {
    const server = await filled();
    const { page, close } = await visit(VIEW);
    await connect(page, server.url);
    await says(page, `--cors-origins ${url().replace(/\/$/, "")}`);
    await server.end("SIGKILL");
    await connect(page, server.url);
    await says(page, `Nothing answers at ${server.url}`);
    await connect(page, "http://example.org");
    await says(page, "only by https://");
    await connect(page, "ftp://x");
    await says(page, "must begin with http");
    await heading(page, "Sample: A household").waitFor();
    await close();
  });

  it("that dies in the middle says so, and the memory before stays", async () => {
    const server = await filled();
    // A proxy that ends after the second page of memories was asked for.
    const proxy = await dyingProxy(server.url, url().replace(/\/$/, ""));
    const { page, close } = await visit(VIEW);
    await connect(page, proxy.url);
    await says(page, "The server went away");
    await heading(page, "Sample: A household").waitFor();
    await close();
  });
});

/** A proxy of a server that ends when conflicts are asked for, after the memories. */
async function dyingProxy(to: string, origin: string): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-allow-headers", "x-nous-agent");
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    if (request.url!.startsWith("/v1/contradiction")) {
      server.closeAllConnections();
      server.close();
      return undefined;
    }
    const answer = await fetch(`${to}${request.url}`);
    response.writeHead(answer.status, { "content-type": "application/json" });
    return response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
