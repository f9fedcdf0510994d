// The files of deploy/ and docs/deploying.md fit the server: its settings, its commands, its names and
// its image. Each is valid by the schema of the program that reads it.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { configOf } from "../../js/scripts/release/image.mjs";
import { OPTION_NAMES, variableOf } from "../../js/server/src/settings/options.ts";
import { testInFull } from "../support/full.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");
const FILES = readdirSync(join(root, "deploy"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
  .sort();
const COMPOSED = FILES.filter((name) => /compose\..*yaml$|compose\.yaml$/.test(name));
const MANIFESTS = FILES.filter((name) => name.startsWith("deploy/kubernetes/"));
const TEXTS = [...FILES, "docs/deploying.md"].map((name) => [name, read(name)] as const);

interface Manifest {
  apiVersion: string;
  kind: string;
}
const manifestsIn = (file: string): Manifest[] =>
  parseAllDocuments(read(file)).map((document) => document.toJS());

/** Returns all values below a key of a value, at any depth. */
function valuesOf(value: unknown, key: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [
    ...(name === key ? [each] : []),
    ...valuesOf(each, key),
  ]);
}

test("each variable is one of the server's", () => {
  const known = new Set<string>(OPTION_NAMES.map(variableOf));
  const named = TEXTS.flatMap(([file, text]) =>
    Array.from(text.matchAll(/\bNOUS_\w+/g), ([name]) => ({ file, name })),
  );
  expect(named.filter(({ name }) => !known.has(name))).toEqual([]);
  expect(new Set(named.map(({ name }) => name)).size).toBeGreaterThan(5);
});

/** The arguments of each command of the server in the files and on the page. */
const COMMANDS = [
  ...TEXTS.flatMap(([, text]) =>
    [
      ...text.matchAll(
        /^[^|\n]*(?:run --rm|exec|sudo -u nous) (?:nous(?:-1)? )?(?:nous-server )?([a-z].*)$/gm,
      ),
    ].map(([, args]) => args!.replace(/[`.].*$/, "").split(" ")),
  ).filter((args) => !args.includes("COMMAND")),
  ...MANIFESTS.flatMap((file) => valuesOf(manifestsIn(file), "args") as string[][]),
];

test("each command is one of the server's", () => {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  mkdirSync(data);
  const moved = (args: readonly string[]) =>
    args
      .map((arg) => arg.replace(/^\/(var\/lib\/nous-server|data)\/backup$/, join(folder, "backup")))
      .map((arg) => arg.replace("/var/lib/nous-server", data));
  const commands = new Set(COMMANDS.map((args) => moved(args).join(" ")));
  expect(commands.size).toBeGreaterThanOrEqual(4);
  // A copy of no agent is refused.
  const first = "import --from jsonl -";
  for (const command of [first, ...commands]) {
    const env = { ...process.env, NOUS_DATA_DIR: data };
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...command.split(" ")], {
      ...{ env, encoding: "utf8", input: '"The oven is broken."\n' },
    });
    expect({ command, status, stderr }).toMatchObject({ command, status: 0 });
  }
});

test("the probes call the server by a name that it answers to", async () => {
  const probes = MANIFESTS.flatMap((file) => valuesOf(manifestsIn(file), "httpGet")) as {
    path: string;
    httpHeaders: { name: string; value: string }[];
  }[];
  expect(probes).toHaveLength(6);
  const { url } = await start(temporaryFolder());
  const status = (path: string, headers: Record<string, string>) =>
    new Promise((resolve) =>
      request(`${url}${path}`, { headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).end(),
    );
  for (const { path, httpHeaders } of probes) {
    const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
    expect([path, await status(path, headers)]).toEqual([path, 200]);
    // As a probe would call it otherwise.
    expect(await status(path, { Host: "10.0.0.7:3100" })).toBe(403);
  }
});

test("Grafana's dashboard asks for metrics and labels that the server has, and for each of them", async () => {
  const options = ["--backup-dir", join(temporaryFolder(), "backups"), "--backup-every", "6h"];
  const { url, ask } = await start(temporaryFolder(), options);
  await ask("GET /nodes");
  const answer = await (await fetch(`${url}/metrics`)).text();
  /** The names of the labels that each metric has; a scrape adds those of the target. */
  const labelsOf = new Map<string, Set<string>>();
  for (const [, name, labels = ""] of answer.matchAll(/^(nous_\w+)(\{.*\})? /gm)) {
    const known = labelsOf.get(name!) ?? new Set(["instance"]);
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!);
    labelsOf.set(name!, known);
  }
  const dashboard: unknown = JSON.parse(read("deploy/grafana/nous.json"));
  const asked = valuesOf(dashboard, "expr") as string[];
  expect(asked.length).toBeGreaterThan(10);
  const used = new Set<string>();
  for (const expr of asked) {
    const named = [...expr.matchAll(/\b(nous_\w+)(?:\{(.*?)\})?/g)];
    expect(named).not.toEqual([]);
    for (const [, name, matchers = ""] of named) {
      const grouped = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(", ") ?? [];
      const matched = [...matchers.matchAll(/(\w+)=/g)].map(([, label]) => label!);
      const unknown = [...grouped, ...matched].filter((label) => !labelsOf.get(name!)?.has(label));
      expect([expr, name, unknown]).toEqual([expr, name, []]);
      used.add(name!);
    }
  }
  const variables = (valuesOf(dashboard, "definition") as string[]).join();
  expect(labelsOf.has(/nous_\w+/.exec(variables)![0])).toBe(true);
  const missing = [...labelsOf.keys()].filter((name) => !used.has(name));
  expect(missing).toEqual([]);
});

test.each(COMPOSED)("%s is as Compose specifies", (file) => {
  const { $schema: _, ...schema } = JSON.parse(
    read("node_modules", "dclint", "schemas", "compose.schema.json"),
  );
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  for (const format of ["expose", "ports", "subnet_ip_address"]) ajv.addFormat(format, true);
  const validate = ajv.compile(schema);
  const composed = parse(read(file), { merge: true });
  expect(validate(composed) ? [] : validate.errors).toEqual([]);
  expect(validate({ ...composed, services: { nous: { imagee: "a" } } })).toBe(false);
});

test("Caddy is configured as docs/scaling.md says", () => {
  const [, block] = /^Caddy:\n\n```text\n([\s\S]*?)^```$/m.exec(read("docs", "scaling.md"))!;
  const own = block!
    .replaceAll("memory.example.org", "{$MEMORY_HOST}")
    .replaceAll(/10\.0\.0\.(\d):/g, "nous-$1:");
  expect(read("deploy", "Caddyfile")).toBe(own);
});

test("the Containerfile gives its image what a release gives to its own", () => {
  const text = read("deploy", "Containerfile").replaceAll(/\\\n/g, "");
  const [, last] = text.split(/^FROM \$\{BASE\}$/m);
  const told = new Map(
    Array.from(last!.matchAll(/^([A-Z]+) (.*)$/gm), ([, name, value]) => [name!, value!]),
  );
  const { config } = configOf({ layers: [], version: "1.2.3", revision: "a", epoch: 0 });
  expect(Object.keys(config.Volumes)).toEqual([told.get("VOLUME")]);
  expect(Object.keys(config.ExposedPorts)).toEqual([`${told.get("EXPOSE")}/tcp`]);
  expect(config.Env).toEqual(told.get("ENV")!.split(" "));
  expect(config.User).toBe(told.get("USER"));
  expect(config.WorkingDir).toBe(told.get("WORKDIR"));
  expect(config.StopSignal).toBe(told.get("STOPSIGNAL"));
  expect(config.Entrypoint).toEqual(JSON.parse(told.get("ENTRYPOINT")!));
  const [, interval, begin, check] = /^--interval=(\d+)s --start-period=(\d+)s CMD (.*)$/.exec(
    told.get("HEALTHCHECK")!,
  )!;
  expect(config.Healthcheck).toEqual({
    Test: ["CMD", ...JSON.parse(check!)],
    Interval: Number(interval) * 1e9,
    StartPeriod: Number(begin) * 1e9,
  });
  const manifests = MANIFESTS.flatMap(manifestsIn);
  const users = new Set(["runAsUser", "runAsGroup"].flatMap((key) => valuesOf(manifests, key)));
  expect([...users].map((user) => `${user}:${user}`)).toEqual([config.User]);
});

testInFull("systemd takes the unit", () => {
  const unit = join(root, "deploy", "nous-server.service");
  const verify = (file: string) =>
    spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
  expect(verify(unit)).toMatchObject({ status: 0, stderr: "" });
  const analyse = ["security", "--offline=yes", unit];
  const { stdout } = spawnSync("systemd-analyze", analyse, { encoding: "utf8" });
  const [, exposure] = /Overall exposure level for nous-server\.service: ([\d.]+)/.exec(stdout)!;
  expect(read("docs", "deploying.md")).toContain(`gives it ${exposure} of 10`);
});

/** A package of PyPI that contains the schemas of Kubernetes, and its hash. */
const SCHEMAS = [
  "kubernetes-validate==1.37.0",
  "85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9",
] as const;
/** Prints one of its files. */
const UNZIP = "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())";

testInFull("Kubernetes takes the manifests", { timeout: 300_000 }, () => {
  const folder = temporaryFolder();
  const python = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync("python3", args, {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    expect({ args, status, stderr: status === 0 ? "" : stderr }).toEqual({
      args,
      status: 0,
      stderr: "",
    });
    return stdout;
  };
  const [needed, hash] = SCHEMAS;
  python("-c", `open("needed", "w").write("${needed} --hash=sha256:${hash}\\n")`);
  const flags = ["--quiet", "--no-deps", "--require-hashes", "--disable-pip-version-check"];
  python("-m", "pip", "download", ...flags, "-r", "needed");
  const wheel = readdirSync(folder).find((name) => name.endsWith(".whl"))!;
  for (const version of ["v1.30.0", "v1.37.0"]) {
    const schemaOf = (name: string) => {
      const path = `kubernetes_validate/kubernetes-json-schema/${version}-local-strict/${name}.json`;
      return JSON.parse(python("-c", UNZIP, wheel, path));
    };
    const ajv = new Ajv2020({ strict: false, logger: false });
    ajv.addSchema(schemaOf("_definitions"), "_definitions.json");
    for (const file of MANIFESTS) {
      for (const manifest of manifestsIn(file)) {
        const name = `${manifest.kind}-${manifest.apiVersion.replace("/", "-")}`.toLowerCase();
        const validate =
          ajv.getSchema(name) ?? ajv.addSchema(schemaOf(name), name).getSchema(name)!;
        const problems = validate(manifest) ? [] : validate.errors;
        expect({ version, file, name, problems }).toEqual({ version, file, name, problems: [] });
        expect(validate({ ...manifest, sepc: {} })).toBe(false);
      }
    }
  }
});
