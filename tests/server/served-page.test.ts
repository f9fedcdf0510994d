// The page at `/`: who gets it, with which headers, and what it does not change.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createKey } from "../../js/server/src/keys/keys.ts";
import { sharedServer } from "./support/shared-server.ts";

const { server } = sharedServer();
const HTML = { accept: "text/html,application/xhtml+xml" };
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server().url}${path}`, { headers });

/** Returns the addresses of the files that the document names. */
async function filesOfPage(): Promise<string[]> {
  const document = await (await get("/", HTML)).text();
  return [...document.matchAll(/(?:src|href)="\.(\/[^"]+)"/g)].map(([, path]) => path!);
}

test("a browser gets the page at /, and a program the description of the server", async () => {
  const page = await get("/", HTML);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await page.text()).toContain('<div id="app">');
  expect(await (await get("/", { accept: "*/*" })).json()).toMatchObject({ name: "nous-server" });
  expect(await (await get("/")).json()).toMatchObject({ name: "nous-server" });
});

test("the page may run its own scripts only, and nobody may frame it", async () => {
  const { headers } = await get("/", HTML);
  const policy = headers.get("content-security-policy")!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe-inline");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test("its files are there, compressed for those who take it, and kept by browsers", async () => {
  const files = await filesOfPage();
  expect(files.length).toBeGreaterThan(3);
  for (const path of files) {
    const plain = await get(path, { "accept-encoding": "identity" });
    expect(plain.status, path).toBe(200);
    expect(plain.headers.get("content-encoding")).toBeNull();
    const tag = plain.headers.get("etag")!;
    const bytes = Buffer.from(await plain.arrayBuffer());
    // `fetch` decompresses.
    const compressed = await get(path, { "accept-encoding": "br" });
    expect(compressed.headers.get("content-encoding"), path).toBe("br");
    expect(Buffer.from(await compressed.arrayBuffer()).equals(bytes), path).toBe(true);
    expect((await get(path, { "if-none-match": tag })).status).toBe(304);
    const isNamedByContent = path.startsWith("/assets/");
    expect(plain.headers.get("cache-control")).toBe(
      isNamedByContent ? "public, max-age=31536000, immutable" : "no-cache",
    );
  }
});

test("the files of the sentence model are those of nous-minilm, which the page has no copy of", async () => {
  for (const name of ["minilm-l6", "asking"]) {
    const path = `/assets/${name}-A_b-C1d2.bin`;
    const answer = await get(path);
    expect(answer.headers.get("cache-control")).toContain("immutable");
    const file = fileURLToPath(import.meta.resolve(`nous-minilm/model/${name}.bin`));
    expect(Buffer.from(await answer.arrayBuffer()).equals(readFileSync(file)), name).toBe(true);
    const tag = answer.headers.get("etag")!;
    expect((await get(path, { "if-none-match": tag })).status).toBe(304);
  }
  const folder = new URL("../../js/server/dist/page/", import.meta.url);
  const names = readdirSync(folder, { recursive: true }) as string[];
  expect(names.filter((name) => /minilm|asking|replacing/.test(name))).toEqual([]);
  expect(readFileSync(new URL("THIRD-PARTY-LICENSES.txt", folder), "utf8")).toContain(
    "sentence-transformers/all-MiniLM-L6-v2",
  );
  const wrongs = ["minilm-l6-.bin.br", "minilm-a.bin", "minilm-l6-a/b.bin", "replacing-a.bin"];
  for (const wrong of ["/minilm-l6-a.bin", ...wrongs.map((name) => `/assets/${name}`)])
    expect((await get(wrong)).status, wrong).toBe(404);
});

test("only files of the page are served, and only to GET and HEAD", async () => {
  for (const path of ["/assets", "/assets/", "/..%2fcli.mjs", "/%2e%2e/cli.mjs", "/index.html.br"])
    expect((await get(path, HTML)).status, path).toBe(404);
  expect((await fetch(`${server().url}/icon.svg`, { method: "HEAD" })).status).toBe(200);
  expect((await fetch(`${server().url}/icon.svg`, { method: "POST" })).status).toBe(404);
});

test("with keys the page is still there, and the API asks for one", async () => {
  createKey(server().dataDir, { agents: "all", scopes: ["memory"], creates_agents: true });
  await expect.poll(async () => (await get("/v1/nodes")).status).toBe(401);
  expect((await get("/", HTML)).status).toBe(200);
  expect((await get("/icon.svg")).status).toBe(200);
});
