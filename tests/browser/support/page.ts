// A real browser, and pages for it.

import { createReadStream, existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { fromBuild } from "../../package/support/tarball.ts";

/** The page, without an icon, so that the browser requests none. */
export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8"><title>probe</title><link rel="icon" href="data:,">
    <script type="module" src="./main.js"></script>
  </head>
</html>`;

/**
 * The page's program: it calls too early, loads, calls again, and leaves its results for `visit`.
 */
export const PROGRAM = `
import * as nous from "nous-wasm";
import { probe } from "./probe.mjs";

const codeOf = (error) => (error instanceof nous.NousError ? error.code : String(error));
async function run() {
  let early;
  try { nous.classifyIntent("now"); } catch (error) { early = codeOf(error); }
  try {
    await Promise.all([nous.init(), nous.init()]);
    return { early, answer: probe(nous) };
  } catch (error) {
    return { early, failure: codeOf(error), message: error.message };
  }
}
run().then((found) => { globalThis.found = found; });
`;

/** The results of a page. */
interface Found {
  early?: string;
  answer?: string;
  failure?: string;
  message?: string;
}

/** And the browser's observations. */
export interface Visit extends Found {
  /** Errors and warnings. */
  complaints: string[];
  /** Paths of the requests. */
  requests: string[];
}

/** Chromium without a window. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROME ?? (await fromBuild("setUpChromium"));
  const quiet = [
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
  ];
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-sync", ...quiet] });
}

/** Opens a page and waits for its results. */
export async function visit(browser: Browser, url: string): Promise<Visit> {
  const page = await browser.newPage();
  try {
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("requestfailed", (request) => complaints.push(`${request.url()} failed`));
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.goto(url);
    const found = await page.waitForFunction(() => (globalThis as { found?: Found }).found);
    return { ...(await found.jsonValue()), complaints, requests };
  } finally {
    await page.close();
  }
}

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
};

/** A server of the files in a folder. */
export class Site {
  private constructor(
    readonly server: Server,
    readonly url: string,
  ) {}

  static async serve(
    folder: string,
    headers: Record<string, string> = {},
    types = TYPES,
  ): Promise<Site> {
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://localhost");
      const file = join(folder, normalize(pathname === "/" ? "/index.html" : pathname));
      if (!existsSync(file)) return response.writeHead(404).end();
      response.writeHead(200, {
        ...headers,
        "content-type": types[extname(file)] ?? "application/octet-stream",
      });
      return createReadStream(file).pipe(response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Site(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  }

  /** The content types of a server that does not know WebAssembly. */
  static readonly OLD_TYPES = { ".html": "text/html", ".js": "text/javascript" };

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
