// The program: its options, the equivalent file and environment, its output, and the errors that
// stop it.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { parse } from "yaml";
import { OPTION_NAMES } from "../../js/server/src/settings/options.ts";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { amount, some } from "../support/amount.ts";
import { describe, test } from "../support/in-turn.ts";
import { execute, raw } from "./support/existing-database.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** Runs the program to its end; a server that starts is stopped, and its status is null. */
function run(
  args: readonly string[],
  { env = {}, cwd }: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
) {
  const { PATH, HOME } = process.env;
  const options = { encoding: "utf8", env: { PATH, HOME, ...env }, cwd, timeout: 20_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], options);
  return { status, stdout, stderr };
}

const inForce = (args: readonly string[], options?: Parameters<typeof run>[1]) => {
  const { status, stdout, stderr } = run(["config", ...args], options);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return parse(stdout);
};

const refused = (args: readonly string[], options?: Parameters<typeof run>[1]) => {
  const { status, stdout, stderr } = run(args, options);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).not.toMatch(/\n\s+at /);
  return stderr.trim();
};

function yamlFile(text: string): string {
  const file = join(temporaryFolder(), "nous.yaml");
  writeFileSync(file, text);
  return file;
}

describe("settings", () => {
  test("--help lists every option with its variable and its default", () => {
    const { stdout } = run(["serve", "--help"]);
    const words = stdout.replace(/\s+/g, " ");
    for (const name of OPTION_NAMES) {
      expect(words).toContain(`--${name.replaceAll("_", "-")} `);
      expect(words).toContain(`(NOUS_${name.toUpperCase()}; default `);
    }
    expect(run(["--help"]).stdout).toMatch(/serve.*config.*check/s);
  });

  test("defaults apply, and the default folder of data", () => {
    const [home, here] = [temporaryFolder(), temporaryFolder()];
    const env = { HOME: home, XDG_DATA_HOME: join(home, "data") };
    const defaults = inForce([], { env, cwd: here });
    expect(defaults).toMatchObject({
      host: "127.0.0.1",
      port: 3100,
      durability: "full",
      log_level: "info",
    });
    expect(Object.keys(defaults)).toEqual(OPTION_NAMES);
    if (process.platform === "linux") expect(defaults.data_dir).toBe(join(home, "data", "nous"));
    mkdirSync(join(here, "nous-data"));
    expect(inForce([], { env, cwd: here }).data_dir).toBe(join(here, "nous-data"));
    expect(inForce(["--data-dir", "elsewhere"], { env, cwd: here }).data_dir).toBe(
      join(here, "elsewhere"),
    );
  });

  test("the URL of a database may have a password, which is hidden", () => {
    const DATABASE_URL = "postgres://me:s%23cret@a.org/x?sslmode=verify-full";
    const shown = { database_url: "postgres://me@a.org/x?sslmode=verify-full" };
    const hidden = { ...shown, database_token: "(hidden)" };
    const folder = temporaryFolder();
    const here = ["--data-dir", join(folder, "data")];
    const common = { DATABASE_URL, HOME: folder, XDG_DATA_HOME: folder };
    expect(inForce([], { env: common, cwd: folder })).toMatchObject(hidden);
    // A folder that is named for this server beats the variable of other programs alone.
    const named: [string[], NodeJS.ProcessEnv][] = [
      [here, {}],
      [[], { NOUS_DATA_DIR: join(folder, "data") }],
      [["--config", yamlFile(`data_dir: ${join(folder, "data")}`)], {}],
    ];
    for (const [args, own] of named) {
      const { status, stdout, stderr } = run(["config", ...args], { env: { ...common, ...own } });
      expect({ status, stderr }).toEqual({
        status: 0,
        stderr: expect.stringMatching(/^the environment variable DATABASE_URL is ignored, since /i),
      });
      expect(parse(stdout)).toMatchObject({ database_url: "", database_token: "" });
      expect(inForce(args, { env: { ...own, NOUS_DATABASE_URL: DATABASE_URL } })).toMatchObject(
        hidden,
      );
    }
    const file = yamlFile(DATABASE_URL);
    expect(inForce([...here, "--database-url-file", file])).toMatchObject(hidden);
    expect(inForce([...here, "--config", yamlFile(`database_url_file: ${file}`)])).toMatchObject(
      hidden,
    );
    // An empty setting means files, whatever the variable of other programs says.
    const env = { DATABASE_URL, NOUS_DATABASE_URL: "" };
    expect(inForce(here, { env })).toMatchObject({ database_url: "", database_token: "" });
    const warned = run(["config", ...here, "--database-url", DATABASE_URL]);
    expect(warned).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^--database-url has a password.*--database-url-file\.\n$/),
    });
    expect(warned.stdout).not.toContain("cret");
    const ignored = run(["config"], {
      cwd: folder,
      env: { ...common, DATABASE_URL: "mysql://me:pw@a.org/x" },
    });
    expect(ignored).toMatchObject({ status: 0, stderr: expect.stringContaining("is ignored") });
    expect(parse(ignored.stdout)).toMatchObject({ database_url: "" });
  });

  test("settings that name two databases, two passwords or none are refused", () => {
    const URL = "postgres://me:secret@a.org/x";
    const file = yamlFile(URL);
    const here = temporaryFolder();
    const folder = join(here, "nous-data");
    mkdirSync(join(folder, "agents"), { recursive: true });
    const cases: [string[], NodeJS.ProcessEnv, string][] = [
      [["--database-url-file", file], { NOUS_DATABASE_URL: URL }, "both name a database"],
      [["--database-url-file", yamlFile(" ")], {}, "which is empty"],
      [["--database-url-file", join(folder, "none")], {}, "cannot be read"],
      [["--database-url-file", yamlFile("mysql://me:secret@a.org/x")], {}, "must be a URL"],
      [[], { DATABASE_URL: "postgres://me:secret%@a.org/x" }, "%25 in place of %"],
      [[], { DATABASE_URL: "postgres://me:sec#secret@a.org/x" }, "must be a URL"],
      [[], { NOUS_DATABASE_URL: "postgres://me:pa/secret@db/x" }, "%2F in place of /"],
      [[], { NOUS_DATABASE_URL: "postgres://me:12/secret@db/x" }, "%2F in place of /"],
      [[], { NOUS_DATABASE_URL: "postgres://me@db/x?password=secret#a" }, "%23 in place of #"],
      [[], { DATABASE_URL: URL, NOUS_DATABASE_TOKEN: "another" }, "NOUS_DATABASE_TOKEN is another"],
    ];
    for (const [args, env, why] of cases) {
      const told = refused(["config", ...args], { env, cwd: here });
      expect(told).toContain(why);
      expect(told).not.toContain("secret");
    }
    writeFileSync(join(folder, "agents", "a.db"), "");
    expect(refused(["config"], { env: { DATABASE_URL: URL }, cwd: here })).toContain(
      "has memories, too",
    );
  });

  test("by default, agents are swept every six hours and never consolidated", () => {
    expect(inForce([])).toMatchObject({
      decay_interval: 21_600,
      consolidate_interval: 0,
      count_outcomes: [],
    });
    const yaml = yamlFile("decay_interval: 0\ncount_outcomes: [server, trader=client]\n");
    expect(inForce(["--config", yaml])).toMatchObject({
      decay_interval: 0,
      count_outcomes: ["server", "trader=client"],
    });
    expect(inForce(["--count-outcomes", "client"])).toMatchObject({ count_outcomes: ["client"] });
  });

  test("an option wins over a variable, and a variable over the file", () => {
    const config = yamlFile("port: 1\nworkers: 2\nlog_level: warn\n");
    const env = { NOUS_PORT: "3", NOUS_WORKERS: "4" };
    const expected = { port: 5, workers: 4, log_level: "warn" };
    expect(inForce(["--config", config, "--port", "5"], { env })).toMatchObject(expected);
    expect(inForce(["--port", "5"], { env: { ...env, NOUS_CONFIG: config } })).toMatchObject(
      expected,
    );
  });

  test("the file configures the engine as code does, in snake_case", () => {
    const yaml = `
sections:
  intent_boost: 1.5
  subtypes:
    "custom:Recipe_x": { section: PROCEDURAL, stability: 200 }
  profiles:
    SIGNALS: { decay: { max_stability_days: 60 } }
search: { max_seeds: 20, graph_reach: true }
salience_growth: true
known_symbols: [BTC]
query: { adjacent_possessives: true }
`;
    expect(inForce(["--config", yamlFile(yaml)])).toMatchObject(parse(yaml));
  });

  test("max_sub_queries is an alias of max_parts: the server starts with it", {
    timeout: 20_000,
  }, async () => {
    const config = yamlFile("orchestrator: { max_sub_queries: 2 }\n");
    expect(inForce(["--config", config]).orchestrator).toEqual({ max_sub_queries: 2 });
    const { ask } = await start(temporaryFolder(), ["--config", config]);
    expect((await ask("GET /health")).status).toBe(200);
    inForce(["--config", yamlFile("orchestrator: { max_sub_queries: 3, max_parts: 3 }\n")]);
    const sentence = refused([
      "serve",
      "--config",
      yamlFile("orchestrator: { max_sub_queries: 3, max_parts: 2 }\n"),
    ]);
    expect(sentence).toMatch(/orchestrator\.max_sub_queries|orchestrator\.max_parts/);
    expect(sentence).toContain("max_parts and max_sub_queries are one setting");
  });

  test.each(
    some(
      [
        ["--port", "high"],
        ["--port", "65536"],
        ["--host", "0.0.0.0:80"],
        ["--host", "http://localhost"],
        ["--allowed-hosts", "example.org:443"],
        ["--cors-origins", "example.org"],
        ["--cors-origins", "https://example.org/page"],
        ["--durability", "some"],
        ["--workers", "0"],
        ["--max-body-bytes", "1"],
        ["--log-level", "loud"],
        ["--data-dir", ""],
      ],
      2,
    ),
  )("%s %s stops the program with a sentence", (flag, value) => {
    const sentence = refused(["serve", flag, value]);
    expect(sentence).toContain(`${flag} is "${value}": `);
    expect(sentence).toMatch(/\.$/);
    const name = flag.slice(2).replaceAll("-", "_");
    const env = { [`NOUS_${name.toUpperCase()}`]: value };
    expect(refused(["serve"], { env })).toContain(
      `the environment variable NOUS_${name.toUpperCase()} is`,
    );
    expect(refused(["serve", "--config", yamlFile(`${name}: "${value}"`)])).toContain(
      `${name} in `,
    );
  });

  test.each(
    some(
      [
        ["prot: 3100", /^prot in \S+ is not a key: there are host, port/],
        ["- a\n- b", /must be a list of keys with values/],
        ["port: [", /is not YAML/],
        [
          "search: { max_seed: 3 }",
          /search\.max_seed is not a known key \(did you mean max_seeds\?\)/,
        ],
        [
          "search: { maxSeeds: 3 }",
          /search\.maxSeeds is not a known key \(did you mean max_seeds\?\)/,
        ],
        ["salienceGrowth: true", /^salienceGrowth in \S+ is not a key/],
        [
          "sections: { profiles: { SIGNALS: { decay: { max_stability_days: -1 } } } }",
          /max_stability_days.*-1/,
        ],
        ["curve: straight", /curve/],
        ["query: { adjacent_possessives: 1 }", /query\.adjacent_possessives must be true or false/],
        ["query: { adjacentPossessives: true }", /query\.adjacentPossessives/],
      ],
      2,
    ),
  )("a file with %j stops the program with a sentence", (yaml, sentence) => {
    expect(refused(["serve", "--config", yamlFile(yaml)])).toMatch(sentence);
  });

  test("an unknown variable, a missing file and an unknown option stop the program, too", () => {
    expect(refused(["serve"], { env: { NOUS_PROT: "1" } })).toMatch(
      /NOUS_PROT is not a variable of this server \(did you mean NOUS_PORT\?\)\. .*: NOUS_CONFIG, NOUS_MCP_KEY, NOUS_HOST/,
    );
    expect(refused(["serve", "--config", "/none.yaml"])).toMatch(
      /^The configuration \/none\.yaml cannot be read/,
    );
    expect(refused(["serve", "--prot", "1"])).toMatch(/unknown option '--prot'/);
  });
});

describe("mistyped and misplaced arguments", () => {
  test("get the nearest command as a suggestion, or “unknown”", () => {
    expect(refused(["srve"])).toMatch(/unknown command 'srve'\n\(Did you mean serve\?\)/);
    const unknown = refused(["zzzzzz", "--port", "0"]);
    expect(unknown).toContain("unknown command 'zzzzzz'");
    expect(unknown).not.toContain("Did you mean");
  });

  test("get advice if they name a file as the data folder", () => {
    const file = yamlFile("");
    const commands = [["serve", "--port", "0"], ["keys", "list"], ["check"]];
    for (const args of commands) {
      expect(refused([...args, "--data-dir", file])).toBe(
        `data_dir is ${file}, which is a file: name a folder.`,
      );
    }
    expect(refused(["serve", "--port", "0", "--data-dir", join(file, "data")])).toMatch(
      /which is no folder: ENOTDIR/,
    );
  });

  test("get advice if the data folder cannot be made, and no process stays", () => {
    const advice = "name a folder that this user may write to, with --data-dir or the variable";
    const commands: (readonly [args: readonly string[], folder: string])[] = [
      [["serve", "--port", "0"], "agents"],
      [["serve", "--port", "0", "--sample"], "agents"],
      [["keys", "create", "--agents", "a"], "keys"],
    ];
    const closed = join(temporaryFolder(), "closed");
    mkdirSync(closed, { mode: 0o500 });
    const isRoot = process.getuid?.() === 0;
    const wrong = [
      ...(process.platform === "linux" ? [["/proc/foo", "ENOENT"] as const] : []),
      ...(isRoot ? [] : [[join(closed, "data"), "EACCES"] as const]),
    ];
    for (const [folder, code] of wrong)
      for (const [args, part] of commands) {
        const said = refused([...args, "--data-dir", folder]);
        const fault = `${join(folder, part)} cannot be made (${code})`;
        expect(said).toContain(`data_dir is ${folder}, and ${fault}: ${advice} NOUS_DATA_DIR.`);
      }
    // The folders above it are not left behind.
    expect(readdirSync(closed)).toEqual([]);
    if (process.platform !== "linux") return;
    for (const args of [
      ["import", "-"],
      ["backup", "--all", "/proc/foo/copies"],
    ]) {
      const { status } = run([...args, "--data-dir", "/proc/foo"]);
      expect([args[0], status]).toEqual([args[0], 1]);
    }
  });

  test.each(
    some(
      [
        [["keys", "create"], "--agents"],
        [["backup"], "--force"],
        [["export"], "--force"],
        [["import"], "--conflicts"],
        [["bench"], "--own"],
      ],
      1,
    ),
  )("the help of %j begins with its own options", (command, own) => {
    const { stdout } = run([...command, "--help"]);
    const [, first, settings] = /^Options:\n([\s\S]*)^Settings of the server:\n([\s\S]*)/m.exec(
      stdout,
    )!;
    expect(first).toContain(own);
    expect(first).not.toContain("--host");
    expect(settings).toContain("--host");
  });
});

test("the help of every command begins with its own options", { timeout: 120_000 }, () => {
  const helpOf = (command: readonly string[]) => run([...command, "--help"]).stdout;
  /** Returns the commands that a help lists, without `help`. */
  const listed = (help: string): string[] => {
    const [, commands = ""] = /^Commands:\n([\s\S]*)/m.exec(help) ?? [];
    const names = [...commands.matchAll(/^ {2}([a-z]\S*)/gm)].map(([, name]) => name!);
    return names.filter((name) => name !== "help");
  };
  const top = listed(helpOf([]));
  expect(top).toEqual(expect.arrayContaining(["serve", "presets", "mcp", "keys", "agents"]));
  let seen = 0;
  const look = (command: readonly string[]) => {
    const help = helpOf(command);
    seen += 1;
    const own = help.indexOf("\nOptions:\n");
    const settings = help.indexOf("\nSettings of the server:\n");
    const line = help.indexOf("  -h, --help ");
    expect(own, command.join(" ")).toBeGreaterThan(0);
    expect(line, command.join(" ")).toBeGreaterThan(own);
    if (settings >= 0) {
      expect(settings, command.join(" ")).toBeGreaterThan(line);
      expect(help.slice(own, settings)).not.toContain("(NOUS_");
      expect(help.indexOf("--host ")).toBeGreaterThan(settings);
    }
    for (const name of listed(help)) look([...command, name]);
  };
  for (const name of some(top, 3)) look([name]);
  expect(seen).toBeGreaterThanOrEqual(amount(24, 3));
});

describe("serving", () => {
  test("logs successful requests at level debug, and refused ones at info", async () => {
    const server = await start(temporaryFolder());
    await server.ask("GET /health");
    await server.ask("GET /none");
    await expect.poll(() => server.log()).toContain('"status":404');
    expect(server.log()).not.toContain('"status":200');
    const telling = await start(temporaryFolder(), ["--log-level", "debug"]);
    await telling.ask("GET /health");
    await expect.poll(() => telling.log()).toContain('"status":200');
  });

  test("warns at the start that a provider cannot be reached, and serves", async () => {
    const server = await start(temporaryFolder(), [
      ...["--embeddings-provider", "openai-compatible"],
      ...["--embeddings-base-url", "http://127.0.0.1:1/v1"],
    ]);
    await expect
      .poll(() => server.log())
      .toContain(
        "The embeddings provider at http://127.0.0.1:1/v1 cannot be reached (ECONNREFUSED): until it answers, words",
      );
    const sentence =
      "the embeddings provider cannot be reached (ECONNREFUSED): until it answers, words, edges and " +
      "time rank, and new memories wait for their vectors";
    const ready = await server.ask("GET //readyz");
    const body = { status: "ready", embeddings: { waiting: 0 }, problems: [sentence] };
    expect([ready.status, ready.body]).toEqual([200, body]);
  });

  test("tells at /readyz that a provider cannot be reached, until it can", {
    timeout: 40_000,
  }, async () => {
    const provider = createServer();
    const listen = (port: number) =>
      new Promise<number>((resolve) => {
        provider.listen(port, "127.0.0.1", () => resolve((provider.address() as AddressInfo).port));
      });
    const port = await listen(0);
    await new Promise((resolve) => provider.close(resolve));
    onTestFinished(() => void provider.close());
    const url = `http://127.0.0.1:${port}/v1`;
    const server = await start(temporaryFolder(), [
      ...["--analysis-provider", "openai-compatible", "--analysis-base-url", url],
    ]);
    const ready = async () => {
      const { status, body } = await server.ask("GET //readyz");
      return { status, body };
    };
    const problems = [
      "the language model cannot be reached (ECONNREFUSED): until it answers, statistics consolidate",
    ];
    await expect.poll(ready).toEqual({ status: 200, body: { status: "ready", problems } });
    await listen(port);
    await expect
      .poll(ready, { timeout: 20_000 })
      .toEqual({ status: 200, body: { status: "ready" } });
    expect(server.log()).toContain(`The language model at ${url} can be reached again`);
  });

  test("is the default command, and it prints its address", async () => {
    const folder = temporaryFolder();
    const server = await start(folder);
    const second = run([
      "--port",
      new URL(server.url).port,
      "--data-dir",
      folder,
      "--log-level",
      "silent",
    ]);
    expect(second).toMatchObject({ status: 1, stdout: "" });
    const { port } = new URL(server.url);
    expect(second.stderr).toMatch(
      new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is in use: .* with --port\\.$`, "m"),
    );
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test("ends at once on SIGINT and SIGTERM, and finishes requests in progress", async () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const server = await start(temporaryFolder());
      const answers = Array.from({ length: 20 }, () => clientOf(server, "default").create());
      await Promise.race(answers);
      const ended = server.end(signal);
      await Promise.allSettled(answers);
      expect(await ended).toBe(0);
      expect(server.log()).toContain('"Stopped"');
    }
  });

  test("refuses a database of a newer version with a message", async () => {
    const folder = temporaryFolder();
    await (await start(folder)).end();
    execute(agentFile(folder, "default"), "UPDATE nous_meta SET value = '99' WHERE key = 'schema'");
    expect(refused(["--port", "0", "--data-dir", folder, "--log-level", "silent"])).toMatch(
      /has schema 99/,
    );
  });

  test("takes the engine's configuration from the file", async () => {
    const config = yamlFile(
      'sections: { subtypes: { "custom:recipe": { section: PROCEDURAL, stability: 200 } } }',
    );
    const { create } = clientOf(await start(temporaryFolder(), ["--config", config]), "default");
    expect((await create({ subtype: "custom:recipe" })).neural_stability).toBe(200);
  });
});

describe("check", () => {
  test("finds no fault in sound data, while a server uses it", async () => {
    const folder = temporaryFolder();
    const server = await start(folder);
    const { create, link } = clientOf(server, "default");
    await link((await create()).id, (await create({ embedding: [1, 2] })).id);
    await clientOf(server, "other").create();
    const { status, stdout } = run(["check", "--data-dir", folder]);
    expect(stdout).toContain("default: 2 memories, 1 edges: sound\n");
    expect(stdout).toContain("other: 1 memories, 0 edges: sound\n");
    expect(status).toBe(0);
  });

  test.each(
    some(
      [
        [
          "a text that the full-text index does not know",
          "DROP TRIGGER nodes_au; UPDATE nodes SET content_title = 'x'",
          /full-text/,
        ],
        [
          "an edge without an end",
          "PRAGMA foreign_keys = OFF; DELETE FROM nodes WHERE rowid = 1",
          /1 edges lead/,
        ],
        [
          "a vector of another length",
          "UPDATE nodes SET embedding_vector = x'0000803f' WHERE rowid = 1",
          /1 vectors do not have 2/,
        ],
        [
          "a membership of a memory that is not there",
          `INSERT INTO clusters (id, name) VALUES ('c', 'Majors');
       INSERT INTO cluster_memberships (cluster_id, node_id) VALUES ('c', 'n_none'), ('c', (SELECT id FROM nodes LIMIT 1))`,
          /: 1 memberships are of a memory that is not there$/m,
        ],
        [
          "a membership in a cluster that is not there",
          "INSERT INTO cluster_memberships (cluster_id, node_id) SELECT 'c_none', id FROM nodes LIMIT 1",
          /: 1 memberships are in a cluster that is not there$/m,
        ],
        [
          "vectors that are to be made for nobody, or were",
          "INSERT INTO embedding_queue (node_id) VALUES ('n_none'); INSERT INTO next_embeddings VALUES ('n_none', x'00')",
          /: 1 vectors are to be made for a memory that is not there; 1 vectors of a next model are of a memory/,
        ],
        [
          "figures of a memory that is not there",
          "PRAGMA foreign_keys = OFF; INSERT INTO node_signals VALUES ('n_none', '{}')",
          /: 1 rows of figures are of a memory that is not there$/m,
        ],
      ],
      2,
    ),
  )("finds %s", async (_, statements, problem) => {
    const folder = temporaryFolder();
    const server = await start(folder);
    const { create, link, file } = clientOf(server, "default");
    await link((await create({ embedding: [1, 2] })).id, (await create({ embedding: [1, 2] })).id);
    await server.end();
    execute(file(), statements);
    const { status, stdout } = run(["check", "--data-dir", folder]);
    expect(stdout).toMatch(problem);
    expect(status).toBe(1);
  });

  test("finds a changed byte inside a row, and accepts another program's rows", async () => {
    const folder = temporaryFolder();
    const server = await start(folder);
    const { create, ask, file } = clientOf(server, "default");
    const { id } = await create({ embedding: [1, 2] });
    await create({ embedding: [123.5, 7.25] });
    await ask(`PATCH /nodes/${id}`, { content_body: "changed" });
    await server.end();
    const db = raw(file());
    db.exec(
      `UPDATE nodes SET content_summary = 'by another program' WHERE id = '${id}'; PRAGMA wal_checkpoint(TRUNCATE)`,
    );
    db.close();
    expect(run(["check", "--data-dir", folder])).toMatchObject({ status: 0 });
    const bytes = readFileSync(file());
    const at = bytes.indexOf(Buffer.from(Float32Array.from([123.5, 7.25]).buffer));
    expect(at).toBeGreaterThan(0);
    bytes[at]! ^= 1;
    writeFileSync(file(), bytes);
    const { status, stdout } = run(["check", "--data-dir", folder]);
    expect(stdout).toContain("1 memories are not as they were written");
    expect(status).toBe(1);
  });

  test("reports an empty folder", () => {
    const folder = temporaryFolder();
    expect(run(["check", "--data-dir", folder])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("No databases"),
    });
  });
});
