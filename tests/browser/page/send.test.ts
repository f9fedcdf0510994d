// Files that are dropped on the page over the memory of a server: first what they hold, then the storing.

import type { Page, Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type Running, start } from "../../server/support/server-process.ts";
import { temporaryFolder } from "../../server/support/temporary-folder.ts";
import { faultsInAllLooks, sharedPage, visitPage } from "./support.ts";

const { browser } = sharedPage();

const NOTES = "# Ferry\n\nThe ferry leaves at nine.\n\n# Bakery\n\nThe bakery closes on Mondays.\n";
const LINES = [
  { kind: "node", id: "n_1", type: "fact", content_title: "Pier: four" },
  { kind: "node", id: "n_2", type: "fact", content_title: "Gate: seven" },
  { kind: "edge", id: "e_1", type: "causes", source_id: "n_1", target_id: "n_2" },
].map((line) => JSON.stringify(line));

const choose = (page: Page, name: string, text: string) =>
  page
    .getByLabel("Choose files")
    .setInputFiles([{ name, mimeType: "text/plain", buffer: Buffer.from(text) }]);
const sending = (page: Page) => page.locator(".sending");
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const storedIn = async (server: Running): Promise<{ id: string; content_title: string }[]> =>
  (await server.ask("GET /nodes?limit=200")).body.data;

/** The page over an empty memory of a server, at a view. */
async function opened(at = "ask") {
  const server = await start(temporaryFolder());
  return { server, ...(await visitPage(browser(), `${server.url}/`, at)) };
}

describe("files on the page over the memory of a server", () => {
  it("are told first, then stored, and stored once", async () => {
    const { server, page, complaints, close } = await opened();
    await page.getByRole("heading", { name: "Nothing is stored yet" }).waitFor();
    await choose(page, "notes.md", NOTES);
    await sending(page).getByText("The files hold 2 memories for the agent “default”").waitFor();
    expect(await storedIn(server)).toEqual([]);
    expect(await faultsInAllLooks(page)).toEqual([]);
    await button(page, "Store 2 memories on the server").click();
    await sending(page).getByText("Stored on the server: 2 memories.").waitFor();
    expect(await faultsInAllLooks(page)).toEqual([]);
    const first = await storedIn(server);
    expect(first.map(({ content_title }) => content_title).sort()).toEqual(["Bakery", "Ferry"]);
    await page.getByRole("heading", { name: "All memories" }).waitFor();
    expect(await page.locator(".browse .record").count()).toBe(2);
    // A changed file of another name: what did not change is there.
    await choose(page, "again.md", `${NOTES}\n# Harbour\n\nThe harbour has a crane.\n`);
    await sending(page).getByText("The files hold 1 memory").waitFor();
    await sending(page).getByText("2 memories are there already.").waitFor();
    await button(page, "Store 1 memory on the server").click();
    await sending(page).getByText("Stored on the server: 1 memory.").waitFor();
    await choose(page, "notes.md", NOTES);
    await sending(page).getByText("Nothing in the files is new.").waitFor();
    expect(await storedIn(server)).toHaveLength(3);
    await button(page, "Cancel").click();
    await sending(page).waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await close();
  });

  it("say which lines are not taken, here and by the server", async () => {
    const { server, page, close } = await opened("memories");
    await page.getByText("Store files").click();
    const long = "x".repeat(2_000);
    const wrong = JSON.stringify({
      kind: "node",
      id: long,
      type: "fact",
      content_title: "Too long",
    });
    await choose(page, "export.jsonl", [...LINES, "{", wrong].join("\n"));
    await sending(page).getByText("1 place is not taken.").waitFor();
    expect(await sending(page).innerText()).toMatch(/export\.jsonl, line 4: It is not JSON/);
    await button(page, /^Store 3 memories/).click();
    await sending(page).getByText("Stored on the server: 2 memories.").waitFor();
    expect(await sending(page).innerText()).toContain("The server refused 1 row.");
    expect((await storedIn(server)).map(({ id }) => id).sort()).toEqual(["n_1", "n_2"]);
    const { body } = await server.ask("GET /edges?node_id=n_1");
    expect(body.data).toHaveLength(1);
    await close();
  });

  it("leave out what the command leaves out, such as thanks", async () => {
    const { server, page, close } = await opened();
    const created_at = "2026-03-01T08:00:00Z";
    const said = (uuid: string, text: string) => ({ uuid, sender: "human", text, created_at });
    const chat_messages = [said("m_1", "The ferry leaves at nine."), said("m_2", "Thank you!")];
    const conversation = { uuid: "c_1", name: "Ferry", created_at, chat_messages };
    await choose(page, "conversations.json", JSON.stringify([conversation]));
    await sending(page).getByText("a message that says nothing, such as thanks").waitFor();
    await button(page, "Store 1 memory on the server").click();
    await sending(page).getByText("Stored on the server: 1 memory.").waitFor();
    expect(await storedIn(server)).toHaveLength(1);
    await close();
  });

  it("go on after the connection was lost, and store nothing twice", async () => {
    const { server, page, close } = await opened();
    const many = Array.from({ length: 600 }, (_, n) =>
      JSON.stringify({ kind: "node", id: `n_${n}`, type: "fact", content_title: `Fact ${n}` }),
    );
    let asked = 0;
    const breaking = async (route: Route) => {
      asked += 1;
      if (asked === 1) return route.continue();
      // The request arrives, and its answer is lost.
      await route.fetch();
      return route.abort();
    };
    await page.route("**/v1/import", breaking);
    await choose(page, "export.jsonl", many.join("\n"));
    await button(page, "Store 600 memories on the server").click();
    await sending(page).getByText("The storing stopped").waitFor();
    expect(asked).toBe(2);
    expect(await storedCount(server)).toBe(500);
    await page.unroute("**/v1/import", breaking);
    await button(page, "Go on").click();
    await sending(page).getByText("Stored on the server: 600 memories.").waitFor();
    expect(await storedCount(server)).toBe(600);
    expect(await page.locator(".news").innerText()).toBe("");
    await close();
  });

  it("can be opened in the page alone, and files that hold nothing are a problem", async () => {
    const { server, page, close } = await opened();
    await choose(page, "empty.txt", "  \n");
    await page.getByRole("alert").getByText("The file holds only blanks.").waitFor();
    await choose(page, "notes.md", NOTES);
    await button(page, "Open in this page alone").click();
    await page.locator("main").getByText("The ferry leaves at nine.").first().waitFor();
    expect(await storedIn(server)).toEqual([]);
    expect(await page.getByLabel("Memory", { exact: true }).inputValue()).toBe("yours");
    await close();
  });
});

const storedCount = async (server: Running): Promise<number> =>
  (await server.ask("GET /health")).body.node_count;
