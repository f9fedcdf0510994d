// The page in Chromium: a static host for it, visits, and what visits complain of.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { some } from "../../support/amount.ts";
import { openBrowser, Site } from "../support/page.ts";

const FOLDER = fileURLToPath(new URL("../../../js/page/dist", import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The content types of the page's files. */
export const TYPES: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/** Widths of a small telephone and of a laptop, in CSS pixels. */
export const WIDTHS = { narrow: 360, wide: 1280 } as const;

/** How a visit looks at the page. */
export interface Look {
  theme?: "light" | "dark";
  width?: number;
  /** Whether the page may fetch the sentence model without being asked. Default: false. */
  mayFetchModel?: boolean;
  /** Further options of the browser's context. */
  context?: BrowserContextOptions;
}

/** A visit of the page. */
export interface Visit {
  page: Page;
  /** Errors and warnings of the console, and requests that failed. */
  complaints: string[];
  /** Addresses of all requests. */
  requests: string[];
  close(): Promise<void>;
}

/**
 * Opens the page at a view, and waits until the memory is open.
 *
 * @param at What follows the `#/` of the address, for example `ask?q=milk`.
 */
export async function visitPage(
  browser: Browser,
  url: string,
  at: string,
  { theme = "light", width = WIDTHS.wide, mayFetchModel = false, context: options = {} }: Look = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: theme,
    ...options,
  });
  await tellConnection(context, { saveData: !mayFetchModel });
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => {
    // A page that is left, or that ends a stream of events, gives up what it asked for.
    if (request.failure()?.errorText === "net::ERR_ABORTED") return;
    complaints.push(`${request.url()} failed: ${request.failure()?.errorText}`);
  });
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`${url}#/${at}`);
  await page.locator("main").waitFor();
  await page.locator(".loading").waitFor({ state: "detached" });
  return { page, complaints, requests, close: () => context.close() };
}

/** Tells pages that are opened afterwards whether data is dear. Then no model is fetched unasked. */
export const tellConnection = (
  to: BrowserContext | Page,
  connection: { saveData: boolean },
): Promise<unknown> =>
  to.addInitScript((value) => {
    Object.defineProperty(navigator, "connection", { value });
  }, connection);

/** The page for the tests of a file: a static host, and a browser. */
export interface SharedPage {
  browser(): Browser;
  /** The address of the static host. */
  url(): string;
  /** Opens the page of the static host, as `visitPage` does. */
  visit(at: string, look?: Look): Promise<Visit>;
}

/** Serves the built page before the tests of a file, and opens a browser. */
export function sharedPage(): SharedPage {
  let browser: Browser;
  let site: Site;
  beforeAll(async () => {
    browser = await openBrowser();
    site = await Site.serve(FOLDER, {}, TYPES);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });
  return {
    browser: () => browser,
    url: () => site.url,
    visit: (at, look) => visitPage(browser, site.url, at, look),
  };
}

/** Both themes, narrow and wide. */
const LOOKS = [
  { theme: "light", width: WIDTHS.narrow },
  { theme: "light", width: WIDTHS.wide },
  { theme: "dark", width: WIDTHS.wide },
  { theme: "dark", width: WIDTHS.narrow },
] as const;

/**
 * Returns the faults of what the page shows, in both themes, narrow and wide: what axe finds, and
 * whether it is wider than its window. `npm test` looks at one of the four looks.
 */
export async function faultsInAllLooks(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const { theme, width } of some(LOOKS, 1)) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 800 });
    // Charts and pictures draw anew in a later frame.
    await page.waitForTimeout(100);
    const seen = `${theme}, ${width} px`;
    const found = await accessibilityFaults(page);
    faults.push(...found.map((fault) => `${seen}: ${fault}`));
    if ((await overflowOf(page)) > 0) faults.push(`${seen}: overflows`);
  }
  return faults;
}

/** Returns what axe finds wrong with the page, a line for each element. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}

/** Returns by how many pixels the page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
