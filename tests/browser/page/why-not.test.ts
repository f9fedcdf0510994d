// Why not?: a memory beside the first answer, what it lacks, and questions that find it.

import { describe, expect, it } from "vitest";
import { faultsInAllLooks, sharedPage } from "./support.ts";

const MILK = "q=Which+milk+should+I+buy+for+Theo%3F";
/** The options of the combobox, not those of selects. */
const OPTION = ".memory-box [role=option]";

const { url, visit } = sharedPage();

const whyNot = (at: string, look = {}) => visit(`why-not?${at}`, look);

describe("Why not?", () => {
  it("opens on the second answer, and shows its place, words and differences", async () => {
    const { page, complaints, close } = await whyNot(MILK);
    await expect.poll(() => page.locator(".rank").textContent()).toBe("2nd");
    expect(await page.locator(".side").count()).toBe(2);
    expect(await page.locator(".words li").count()).toBeGreaterThan(0);
    const sums = await page.locator("table.differences").evaluate((table) => {
      const of = (cell: Element | null) => Number(cell?.textContent?.replace("−", "-"));
      const groups = Array.from(table.querySelectorAll(".group td:last-child"), of);
      return {
        groups: groups.reduce((all, one) => all + one, 0),
        all: of(table.querySelector("tfoot td:last-child")),
      };
    });
    expect(Math.abs(sums.groups - sums.all)).toBeLessThan(0.05);
    expect(complaints).toEqual([]);
    await close();
  });

  it("names questions that find the memory, and they do", async () => {
    const { page, close } = await whyNot(`${MILK}&id=biscuit-food`);
    const line = page.locator(".finders li").first();
    await line.waitFor();
    const told = await line.locator("p").textContent();
    expect(told).toContain("puts it first");
    const title = await page.locator(".side .title").first().textContent();
    await line.getByRole("link").click();
    const best = page.locator(".answers .answer").first();
    await expect.poll(() => best.locator(".title").textContent()).toBe(title);
    expect(told).toContain((await best.locator(".probability").textContent())!);
    await close();
  });

  it("is reached from an answer, and leads back", async () => {
    const { page, close } = await visit(`ask?${MILK}`);
    const second = page.locator(".answers .answer").nth(1);
    const title = await second.locator(".title").textContent();
    await second.getByRole("link", { name: "Why not first?" }).click();
    await expect.poll(() => page.locator(".side .title").first().textContent()).toBe(title);
    await page.getByRole("link", { name: "All answers" }).click();
    await page.locator(".answers .answer").first().waitFor();
    await close();
  });

  it("finds a memory by part of its title, from the keyboard alone", async () => {
    const { page, complaints, close } = await whyNot(MILK);
    await page.locator(".rank").waitFor();
    const box = page.getByRole("combobox", { name: "Which memory?" });
    await box.focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("Mortgag");
    const options = page.locator(OPTION);
    await expect.poll(() => options.first().textContent()).toContain("Mortgage");
    await page.keyboard.press("ArrowDown");
    const active = await box.getAttribute("aria-activedescendant");
    expect(await page.locator(`[id="${active}"]`).getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("ArrowDown");
    const chosen = await page.locator(`${OPTION}[aria-selected="true"] span`).textContent();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".side .title").first().textContent()).toBe(chosen);
    expect(page.url()).toContain("id=");
    expect(await box.getAttribute("aria-expanded")).toBe("false");
    // Escape leaves the memory as it is.
    await page.keyboard.press("Control+A");
    await page.keyboard.type("zzzzz");
    await page.locator(".memory-box .none").waitFor();
    await page.keyboard.press("Escape");
    expect(await box.inputValue()).toBe(chosen);
    expect(complaints).toEqual([]);
    await close();
  });

  it("says so if the memory is the first answer, or nothing connects it with the question", async () => {
    const { page, close } = await whyNot("q=xyzzy&id=oat-milk");
    await expect.poll(() => page.locator(".standing").textContent()).toContain("Nothing connects");
    const { page: other, close: closeOther } = await visit("ask?q=Milk");
    const id = await other.locator(".answers .answer").first().getAttribute("data-id");
    await closeOther();
    await page.goto(`${url()}#/why-not?q=Milk&id=${id}`);
    await page.getByRole("heading", { name: "It is the first answer" }).waitFor();
    await close();
  });

  it("answers a wrong id with a sentence", async () => {
    const { page, complaints, close } = await whyNot(`${MILK}&id=no-such`);
    await expect
      .poll(() => page.getByRole("alert").textContent())
      .toBe("This memory has no “no-such”. Pick another one above.");
    expect(complaints).toEqual([]);
    await close();
  });

  it("is accessible and fits, in both themes, narrow and wide", async () => {
    const { page, complaints, close } = await whyNot(MILK);
    await page.locator(".finders li").first().waitFor();
    await page.locator('input[role="combobox"]').click();
    await page.locator(OPTION).first().waitFor();
    expect(await faultsInAllLooks(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});
