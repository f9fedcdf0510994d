// Starts the load balancers whose configurations docs/scaling.md has. Addresses, ports, TLS and the
// places of their own files are replaced, and nothing else.

import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "./postgres.ts";
import { makeFolder, removeFolder } from "./temporary-folder.ts";

export interface LoadBalancer {
  /** The port of 127.0.0.1 on which it listens. */
  port: number;
  stop(): Promise<void>;
}

/** How long a proxy may take to listen, in milliseconds. */
const PATIENCE = 20_000;
/**
 * An address that leads to this machine and that servers do not know as their own, as they do not
 * know that of their network.
 */
const HERE = "0.0.0.0";

/** Returns the block of configuration after the line `NAME:`. */
function blockAfter(name: string, page: string): string {
  const found = new RegExp(`^${name}:\\n\\n\`\`\`text\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page);
  if (found === null) throw new Error(`docs/scaling.md has no configuration of ${name}`);
  return found[1]!;
}

/** Replaces a pattern that a configuration must contain. */
function replaced(text: string, pattern: RegExp, by: string): string {
  if (!pattern.test(text)) throw new Error(`The configuration does not contain ${pattern}`);
  return text.replace(pattern, by);
}

/** Starts nginx with the configuration of a page, before servers on these ports. */
export async function nginx(page: string, servers: readonly number[]): Promise<LoadBalancer> {
  const port = await freePort();
  const upstream = servers.map((server) => `    server ${HERE}:${server};\n`).join("");
  const block = replaced(
    replaced(blockAfter("nginx", page), /( +server [\d.]+:\d+;\n)+/, upstream),
    /listen 443 ssl;/,
    `listen 127.0.0.1:${port};`,
  );
  const folder = makeFolder();
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const own = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};\n`).join("");
  const file = join(folder, "nginx.conf");
  // One process, with the rights of the tests.
  const processes = `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr crit;\n`;
  writeFileSync(file, `${processes}events {}\nhttp {\naccess_log off;\n${own}${block}}\n`);
  return running(port, folder, "nginx", ["-p", folder, "-e", "stderr", "-c", file]);
}

/** Starts Caddy with the configuration of a page, before servers on these ports. */
export async function caddy(page: string, servers: readonly number[]): Promise<LoadBalancer> {
  const port = await freePort();
  const upstreams = servers.map((server) => `${HERE}:${server}`).join(" ");
  const block = replaced(
    replaced(blockAfter("Caddy", page), /([\d.]+:\d+ ?)+(?= \{)/, upstreams),
    /^memory\.example\.org \{/,
    `http://memory.example.org:${port} {\n    bind 127.0.0.1`,
  );
  const folder = makeFolder();
  const file = join(folder, "Caddyfile");
  writeFileSync(file, `{\n    admin off\n}\n${block}`);
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const options = ["run", "--adapter", "caddyfile", "--config", file];
  return running(port, folder, "caddy", options, env);
}

/** Runs a proxy, and waits until it listens. */
async function running(
  port: number,
  folder: string,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<LoadBalancer> {
  // Debian has nginx in a folder that only root searches.
  const path = `${process.env.PATH}:/usr/sbin`;
  const child = spawn(program, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env, PATH: path },
  });
  let logged = "";
  child.stderr.on("data", (text) => {
    logged += text;
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("exit", (code, by) => resolve(`ended with ${code ?? by}`));
  });
  const stop = async () => {
    if (!hasEnded(child)) child.kill("SIGTERM");
    await ended;
    removeFolder(folder);
  };
  const until = performance.now() + PATIENCE;
  while (!(await accepts(port))) {
    if (hasEnded(child) || child.pid === undefined || performance.now() > until) {
      child.kill("SIGKILL");
      const how = await ended;
      removeFolder(folder);
      throw new Error(`${program} does not listen: ${how}: ${logged}`);
    }
    await new Promise((done) => setTimeout(done, 20));
  }
  return { port, stop };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
