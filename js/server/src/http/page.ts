// Serves the page: static files that the build puts beside the program. They hold no data of an
// agent, so that they need no key. Files whose names change with their content may be kept for
// ever.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Context, MiddlewareHandler } from "hono";

const TYPES: Readonly<Record<string, string>> = {
  ".bin": "application/octet-stream",
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".jsonl": "application/jsonl; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};
/** The ending of a file that was compressed at build time. */
const COMPRESSED = ".br";
const START = "index.html";
/** Names below `assets/` hold a hash of the content. */
const KEPT = "public, max-age=31536000, immutable";
const ASKED_AGAIN = "no-cache";

/**
 * The files of the sentence model and of its adapter for questions, which are in nous-minilm and
 * not beside the program, by their names there and a hash.
 */
const MODEL = /^\/assets\/((minilm-l6|asking)-[\w-]+)\.bin$/;

/**
 * What the page may do: run its own scripts and the engine's module, and talk to servers of memory,
 * which the visitor names. The page itself repeats it, for other hosts.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

interface File {
  path: string;
  type: string;
  tag: string;
  cacheControl: string;
  /** The compressed file; missing if compressing gains little. */
  compressed?: string;
}

/**
 * Returns the files of a folder by the path of their requests. Empty if there is no such folder.
 */
function filesIn(folder: string): Map<string, File> {
  const files = new Map<string, File>();
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true }) as string[];
  } catch {
    return files;
  }
  const there = new Set(names);
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const path = join(folder, name);
    const request = name.split(sep).join("/");
    const hash = createHash("sha256").update(readFileSync(path)).digest("base64url");
    files.set(`/${request === START ? "" : request}`, {
      path,
      type,
      tag: `"${hash.slice(0, 16)}"`,
      cacheControl: request.startsWith("assets/") ? KEPT : ASKED_AGAIN,
      ...(there.has(`${name}${COMPRESSED}`) ? { compressed: `${path}${COMPRESSED}` } : {}),
    });
  }
  return files;
}

/** Returns the file that the path of a request names in nous-minilm, if it names one. */
function fileOfModel(path: string): File | undefined {
  const [, hashed, name] = MODEL.exec(path) ?? [];
  if (name === undefined) return undefined;
  return {
    path: fileURLToPath(import.meta.resolve(`nous-minilm/model/${name}.bin`)),
    type: TYPES[".bin"]!,
    tag: `"${hashed}"`,
    cacheControl: KEPT,
  };
}

/**
 * Returns a middleware that answers requests for files of the page in `folder`. At `/`, programs
 * get the server's own answer: the page goes to those who ask for HTML.
 */
export function servePage(folder: string): MiddlewareHandler {
  // The folder is read for the first request: programs that use the API alone do not wait for it.
  let files: Map<string, File> | undefined;
  return async (context, next) => {
    const { method, path } = context.req;
    if (method !== "GET" && method !== "HEAD") return next();
    if (path.startsWith("/v1/") || (path === "/" && !wantsHtml(context))) return next();
    files ??= filesIn(folder);
    const file = files.get(path) ?? fileOfModel(path);
    return file === undefined ? next() : answer(context, file);
  };
}

const wantsHtml = (context: Context): boolean =>
  (context.req.header("accept") ?? "").includes("text/html");

function answer(context: Context, { path, type, tag, cacheControl, compressed }: File): Response {
  context.header("content-type", type);
  context.header("cache-control", cacheControl);
  context.header("etag", tag);
  context.header("vary", "accept, accept-encoding");
  context.header("content-security-policy", POLICY);
  context.header("x-content-type-options", "nosniff");
  context.header("referrer-policy", "no-referrer");
  if (context.req.header("if-none-match") === tag) return context.body(null, 304);
  const takes = /\bbr\b/.test(context.req.header("accept-encoding") ?? "");
  if (!takes || compressed === undefined) return context.body(readFileSync(path));
  context.header("content-encoding", "br");
  return context.body(readFileSync(compressed));
}
