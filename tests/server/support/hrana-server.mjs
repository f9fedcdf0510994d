// A database server that speaks Hrana over HTTP, version 2, as sqld does: streams with batons, a
// token, and the statements that sqld refuses. It runs in a child process, and its parent can order
// faults.
//
//     fork("hrana-server.mjs", [FILE, TOKEN, PORT])

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import Database from "libsql";

const [file, token, port] = process.argv.slice(2);

/** An idle stream is closed after this, in milliseconds; sqld waits for ten seconds. */
const EXPIRES_AFTER = 500;
/** How long a writer waits for another, in milliseconds. */
const BUSY_FOR = 5_000;

/** Statements that sqld refuses: those that change a connection, and those that open files. */
const REFUSED = [
  /^\s*(VACUUM|ATTACH|DETACH)\b/i,
  /^\s*PRAGMA\s+(?!(defer_)?foreign_keys\b)\w+\s*=/i,
  /^\s*PRAGMA\s+(wal_checkpoint|optimize|incremental_vacuum|shrink_memory)\b/i,
];

/** The next faults: at a statement that contains `at`, `does` happens, this many `times`. */
let troubles = [];
/** Requests since the last count. */
let requests = 0;

/**
 * Connections without a stream: libSQL releases a closed one when its statements are
 * garbage-collected, possibly late.
 */
const spare = [];
const streams = new Map();
const expired = new Set();

function openStream() {
  const db = spare.pop() ?? new Database(file);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON");
  return { db, expiry: undefined };
}

function closeStream({ db }) {
  if (db.inTransaction) db.exec("ROLLBACK");
  spare.push(db);
}

/** The requests of a stream: a new one, or that of a baton, which is valid for one request. */
function take(baton) {
  if (baton == null) return openStream();
  const stream = streams.get(baton);
  if (stream === undefined) {
    throw expired.has(baton)
      ? failure("STREAM_EXPIRED", "The stream has expired due to inactivity")
      : failure("BATON_INVALID", "Received an invalid baton");
  }
  streams.delete(baton);
  clearTimeout(stream.expiry);
  return stream;
}

function release(stream) {
  const baton = randomUUID();
  streams.set(baton, stream);
  stream.expiry = setTimeout(() => {
    streams.delete(baton);
    expired.add(baton);
    closeStream(stream);
  }, EXPIRES_AFTER);
  return baton;
}

const failure = (code, message) => Object.assign(new Error(message), { code });

function decode({ type, value, base64 }) {
  if (type === "null") return null;
  if (type === "integer") return BigInt(value);
  return type === "blob" ? Buffer.from(base64, "base64") : value;
}

function encode(value) {
  if (value === null) return { type: "null" };
  if (typeof value === "bigint") return { type: "integer", value: String(value) };
  if (typeof value === "number") return { type: "float", value };
  if (typeof value === "string") return { type: "text", value };
  return { type: "blob", base64: Buffer.from(value).toString("base64") };
}

function execute(db, { sql, args = [] }) {
  const statement = db.prepare(sql).safeIntegers(true);
  const values = args.map(decode);
  if (!statement.reader) statement.run(...values);
  const [cols, rows] = statement.reader
    ? [statement.columns(), statement.raw(true).all(...values)]
    : [[], []];
  const result = {
    cols: cols.map(({ name, type }) => ({ name, decltype: type })),
    rows: rows.map((row) => row.map(encode)),
    affected_row_count: 0,
    last_insert_rowid: null,
  };
  return { type: "execute", result };
}

/** Waits for another writer, up to the limit. */
async function patiently(work) {
  for (let waited = 0; ; waited += 20) {
    try {
      return work();
    } catch (error) {
      if (!/^SQLITE_(BUSY|LOCKED)/.test(error.code ?? "") || waited >= BUSY_FOR) throw error;
      await wait(20);
    }
  }
}

async function answerTo(db, { type, stmt, sql }) {
  const text = stmt?.sql ?? sql;
  if (REFUSED.some((refused) => refused.test(text))) {
    throw failure(
      "SQL_PARSE_ERROR",
      `SQL string could not be parsed: unsupported statement: ${text}`,
    );
  }
  if (type === "execute") return patiently(() => execute(db, stmt));
  await patiently(() => db.exec(sql));
  return { type: "sequence" };
}

async function resultOf(db, request) {
  try {
    return { type: "ok", response: await answerTo(db, request) };
  } catch ({ message, code }) {
    // sqld reports SQLite's primary error codes, not the extended ones.
    const kind = /^SQLITE_[A-Z]+/.exec(code ?? "")?.[0] ?? code ?? "SQL_INPUT_ERROR";
    return { type: "error", error: { message, code: kind } };
  }
}

/** The fault that a statement triggers. */
function troubleOf({ stmt, sql }) {
  const text = stmt?.sql ?? sql ?? "";
  const trouble = troubles.find(({ at, times }) => times > 0 && text.includes(at));
  if (trouble !== undefined) trouble.times -= 1;
  return trouble?.does;
}

async function pipeline({ baton, requests: asked }, response) {
  const stream = take(baton);
  const results = [];
  let isOpen = true;
  for (const request of asked) {
    const trouble = troubleOf(request);
    // A broken or unanswered request leaves a stream that expires.
    if (trouble === "break before" || trouble === "hang") {
      release(stream);
      return trouble === "hang" ? undefined : response.destroy();
    }
    if (trouble === "fail") {
      closeStream(stream);
      return send(response, 500, { message: "internal error", code: "INTERNAL" });
    }
    if (trouble === "expire") {
      closeStream(stream);
      return send(response, 400, {
        message: "The stream has expired due to inactivity",
        code: "STREAM_EXPIRED",
      });
    }
    if (request.type === "close") {
      isOpen = false;
      results.push({ type: "ok", response: { type: "close" } });
      continue;
    }
    results.push(
      trouble === "too large"
        ? { type: "error", error: { message: "Response is too large", code: "RESPONSE_TOO_LARGE" } }
        : await resultOf(stream.db, request),
    );
    if (trouble === "break after") {
      release(stream);
      return response.destroy();
    }
  }
  if (!isOpen) closeStream(stream);
  send(response, 200, { baton: isOpen ? release(stream) : null, base_url: null, results });
}

function send(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function textOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const server = createServer(async (request, response) => {
  requests += 1;
  try {
    const text = await textOf(request);
    if (request.headers.authorization !== `Bearer ${token}`) {
      return send(response, 401, { message: "Unauthorized: the token is wrong", code: "AUTH" });
    }
    if (request.method !== "POST" || request.url !== "/v2/pipeline")
      return send(response, 404, { message: "no route" });
    await pipeline(JSON.parse(text), response);
  } catch ({ message, code }) {
    if (!response.destroyed) send(response, 400, { message, code });
  }
});

process.on("message", ({ troubles: next }) => {
  if (next !== undefined) troubles = next;
  process.send({ requests });
  requests = 0;
});
process.on("disconnect", () => process.exit());
server.listen(Number(port), "127.0.0.1", () => process.send({ port: server.address().port }));
