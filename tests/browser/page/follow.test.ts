// The page over the memory of a server follows what others write to it, as they write it, and disturbs nobody
// who reads or edits.

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type Running, start } from "../../server/support/server-process.ts";
import { temporaryFolder } from "../../server/support/temporary-folder.ts";
import { faultsInAllLooks, sharedPage, visitPage } from "./support.ts";

const { browser } = sharedPage();

const news = (page: Page) => page.locator(".news");
const titles = (page: Page) =>
  page.getByRole("region", { name: "All memories" }).locator(".record .title").allInnerTexts();
const write = async (server: Running, id: string, content_title: string) => {
  const { status } = await server.ask("POST /nodes", { type: "fact", id, content_title });
  expect(status).toBe(201);
};

/** A server with two memories, and the page over it. */
async function opened(at: string, rent = "Rent: 900 a month") {
  const folder = temporaryFolder();
  const server = await start(folder);
  await write(server, "n_rent", rent);
  await write(server, "n_cat", "Cat: Miso");
  const visit = await visitPage(browser(), `${server.url}/`, at);
  // It follows from here on.
  await news(visit.page).waitFor({ state: "attached" });
  return { server, folder, ...visit };
}

describe("the page over the memory of a server", () => {
  it("shows in the list what others store, change, link and delete", async () => {
    const { server, page, complaints, close } = await opened("memories");
    await page.getByText("Cat: Miso").first().waitFor();
    await write(server, "n_dog", "Dog: Udon");
    await news(page).getByText("Stored just now by another program").waitFor();
    await expect.poll(() => page.locator(".records [data-id=n_dog]").count()).toBe(1);
    await expect
      .poll(() => page.getByRole("region", { name: "The memory that is open" }).innerText())
      .toContain("3 memories");
    expect(await faultsInAllLooks(page)).toEqual([]);
    await server.ask("PATCH /nodes/n_dog", { content_title: "Dog: Ramen" });
    await expect
      .poll(() => page.locator(".records [data-id=n_dog]").innerText())
      .toContain("Dog: Ramen");
    await write(server, "n_rent2", "Rent: 950 a month");
    await server.ask("POST /edges", {
      ...{ source_id: "n_rent2", target_id: "n_rent", type: "likely_supersedes", strength: 0.9 },
    });
    await expect
      .poll(() => page.locator(".records [data-id=n_rent]").innerText())
      .toMatch(/Rent: 900 a month — probably until .*Rent: 950 a month — since/s);
    await server.ask("DELETE /nodes/n_cat");
    await expect.poll(() => page.locator(".records [data-id=n_cat]").count()).toBe(0);
    await news(page).getByText("1 memory deleted").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("tells of a link alone, not of one that follows a memory, and of no faint guess", async () => {
    const { server, page, close } = await opened("memories");
    const lines = await page.evaluateHandle(() => {
      const [found, place] = [[] as string[], document.querySelector(".news")!];
      const note = () => found.push(place.textContent ?? "");
      new MutationObserver(note).observe(place, {
        ...{ subtree: true, childList: true, characterData: true },
      });
      return found;
    });
    const link = async (source_id: string, target_id: string, type: string) =>
      expect(
        (await server.ask("POST /edges", { source_id, target_id, type, strength: 0.2 })).status,
      ).toBe(201);
    await write(server, "n_moon", "The moon is made of rock.");
    await news(page).getByText("The moon").waitFor();
    await link("n_moon", "n_cat", "faintly_supersedes");
    await link("n_moon", "n_rent", "relates_to");
    await write(server, "n_dog", "Dog: Udon");
    await news(page).getByText("Dog: Udon").waitFor();
    await news(page).getByRole("button", { name: "Hide" }).click();
    await link("n_dog", "n_cat", "faintly_supersedes");
    await write(server, "n_sun", "The sun is hot.");
    await news(page).getByText("The sun").waitFor();
    expect((await lines.jsonValue()).filter((line) => line.includes("Links"))).toEqual([]);
    await news(page).getByRole("button", { name: "Hide" }).click();
    await link("n_dog", "n_rent", "relates_to");
    await news(page).getByText("Links changed just now by another program.").waitFor();
    await close();
  });

  it("refreshes what was stored last, and says nothing of what it stored itself", async () => {
    // Nothing is suggested of names alone: the view opens without an answer.
    const { server, page, close } = await opened("ask", "Rent");
    await page.getByRole("region", { name: "Stored last" }).getByText("Miso").first().waitFor();
    await write(server, "n_dog", "Dog: Udon");
    await page.getByRole("region", { name: "Stored last" }).getByText("Udon").first().waitFor();
    await news(page).getByRole("button", { name: "Hide" }).click();
    await page.getByText("Remember something").click();
    await page.getByLabel("What should be remembered?").fill("Fish: none");
    await page.getByRole("button", { name: "Remember" }).click();
    await page.getByText("Stored as 1 memory.").waitFor();
    // What comes after it is told, so that it was heard of, and not told.
    await write(server, "n_bird", "Bird: Soba");
    await news(page).getByText("Bird: Soba").waitFor();
    expect(await news(page).innerText()).not.toContain("2 memories");
    expect(await page.locator(".records [data-id=n_bird]").count()).toBe(1);
    await close();
  });

  it("waits while somebody reads an answer or edits a memory", async () => {
    const { server, page, close } = await opened("ask?q=Where+is+the+ferry%3F");
    await page.locator(".verdict").waitFor();
    const before = await page.locator(".answers, .verdict").allInnerTexts();
    await write(server, "n_ferry", "The ferry leaves from pier nine.");
    await news(page).getByText("pier nine").waitFor();
    expect(await page.locator(".answers, .verdict").allInnerTexts()).toEqual(before);
    await news(page).getByRole("button", { name: "Show" }).click();
    await page.locator(".answer [data-id=n_ferry], .answer").getByText("pier").first().waitFor();
    await page.getByRole("link", { name: "Memories" }).first().click();
    await page.getByRole("button", { name: "Edit Cat: Miso" }).click();
    const field = page.getByLabel("Title");
    await field.fill("Cat: Mochi");
    await write(server, "n_dog", "Dog: Udon");
    await news(page).getByText("Udon").waitFor();
    expect(await page.locator(".records [data-id=n_dog]").count()).toBe(0);
    expect(await field.inputValue()).toBe("Cat: Mochi");
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => page.locator(".records [data-id=n_dog]").count()).toBe(1);
    await expect.poll(() => titles(page)).toContain("Cat: Mochi");
    await close();
  });

  it("goes on after the connection was lost, without a loss", async () => {
    const { server, folder, page, close } = await opened("memories");
    const { port } = new URL(server.url);
    await server.end();
    const other = await start(folder);
    await write(other, "n_meanwhile", "Written while the page was alone.");
    await other.end();
    await start(folder, ["--port", port]);
    await expect
      .poll(() => page.locator(".records [data-id=n_meanwhile]").count(), { timeout: 60_000 })
      .toBe(1);
    await close();
  }, 120_000);

  it("offers to read the memory again if what was written meanwhile is not known", async () => {
    const { server, page, close } = await opened("memories");
    const setHidden = (isHidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, "hidden", { value, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, isHidden);
    // A page that is not in sight does not follow.
    await setHidden(true);
    expect((await server.ask("DELETE /agents/default")).status).toBe(200);
    await write(server, "n_new", "Of another life");
    await setHidden(false);
    await news(page).getByText("Much was written by another program.").waitFor();
    expect(await page.locator(".records [data-id=n_cat]").count()).toBe(1);
    await news(page).getByRole("button", { name: "Read it again" }).click();
    await page.locator(".records [data-id=n_new]").waitFor();
    expect(await page.locator(".records [data-id=n_cat]").count()).toBe(0);
    await write(server, "n_more", "And it follows again");
    await news(page).getByText("And it follows again").waitFor();
    await close();
  });
});
