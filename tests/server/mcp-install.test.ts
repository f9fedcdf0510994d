// What `mcp install` and `mcp uninstall` do to configuration files in JSON, TOML and YAML, and the hooks of
// Claude Code, run as it runs them.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { expect } from "vitest";
import { parse as parseYaml } from "yaml";
import { FORMS } from "../../js/server/src/mcp/config-files.ts";
import { CLIENT_NAMES, CLIENTS, fileOf } from "../../js/server/src/mcp/install.ts";
import { messagesIn } from "../../js/server/src/mcp/session-hooks.ts";
import { some } from "../support/amount.ts";
import { describe, test } from "../support/in-turn.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const READ = { json: (text: string) => parseJson(text), toml: parseToml, yaml: parseYaml };
const formOf = (name: (typeof CLIENT_NAMES)[number]): keyof typeof READ => {
  const client = CLIENTS[name];
  return "form" in client ? client.form : "json";
};

/** Settings of a user, with comments, in each form, and what they mean. */
const SETTINGS = {
  json: `{\n  // mine\n  "theme": "dark",\n  "list": [1, 2], /* two */\n}\n`,
  toml: `# mine\nmodel = "o9" # the best\n\n[mcp_servers.other]\ncommand = "x"\nargs = [\n  "[mcp_servers.nous]", # a text\n]\n\n# about me\n[profile]\nname = "Mira"\n`,
  yaml: `# mine\nGOOSE_MODE: auto # careful\nextensions:\n  developer:\n    enabled: true\n    args: [1, 2]\n`,
};

/** Runs a command with a home of its own. */
function run(home: string, args: readonly string[], { input = "", cwd = home } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    ...{ encoding: "utf8", input, cwd },
    env: { PATH: process.env.PATH, HOME: home, NOUS_EMBEDDINGS_MODEL: "english-128" },
  });
  return { status, stdout, stderr };
}

describe("a configuration", () => {
  test.each(some(CLIENT_NAMES, 4))(
    "of %s gets the server, keeps the rest, and loses it again",
    (name) => {
      const home = temporaryFolder();
      const where = { home, system: process.platform, environment: {} };
      const file = fileOf(name, where);
      const form = formOf(name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, SETTINGS[form]);
      const given = ["--client", name];
      const trial = run(home, ["mcp", "install", ...given, "--dry-run"]);
      expect(trial).toMatchObject({ status: 0, stdout: expect.stringContaining("cli.mjs") });
      expect(readFileSync(file, "utf8")).toBe(SETTINGS[form]);
      // Twice is once.
      expect(run(home, ["mcp", "install", ...given]).status).toBe(0);
      const installed = readFileSync(file, "utf8");
      expect(run(home, ["mcp", "install", ...given]).status).toBe(0);
      expect(readFileSync(file, "utf8")).toBe(installed);
      for (const comment of SETTINGS[form].match(/(#|\/\/|\/\*) \w+.*/g)!)
        expect(installed).toContain(comment);
      const [before, after] = [SETTINGS[form], installed].map((text) => READ[form](text));
      const { key } = CLIENTS[name];
      const { nous, ...others } = after[key];
      expect(JSON.stringify(nous)).toContain('cli.mjs","mcp"');
      expect({ ...after, [key]: others }).toEqual({ ...before, [key]: before[key] ?? {} });
      // Another agent takes the place of the first.
      expect(run(home, ["mcp", "install", ...given, "--agent", "mira"]).status).toBe(0);
      expect(JSON.stringify(READ[form](readFileSync(file, "utf8"))[key].nous)).toContain('"mira"');
      const shown = run(home, ["mcp", "uninstall", ...given, "--dry-run"]);
      expect(shown.stdout).not.toContain("cli.mjs");
      expect(run(home, ["mcp", "uninstall", ...given]).stdout).toContain("Removed from");
      const left = READ[form](readFileSync(file, "utf8"));
      expect({ ...left, [key]: left[key] ?? {} }).toEqual({ ...before, [key]: before[key] ?? {} });
      expect(run(home, ["mcp", "uninstall", ...given]).stdout).toContain("Nothing to remove");
      expect(readdirSync(dirname(file)).some((one) => one.endsWith(".unfinished"))).toBe(false);
    },
    60_000,
  );

  test.each(CLIENT_NAMES)(
    "of %s is made if there is none, and nothing is made to remove it",
    (name) => {
      const home = temporaryFolder();
      expect(run(home, ["mcp", "uninstall", "--client", name]).stdout).toContain(
        "Nothing to remove",
      );
      expect(readdirSync(home)).toEqual([]);
      expect(run(home, ["mcp", "install", "--client", name]).status).toBe(0);
      const file = fileOf(name, { home, system: process.platform, environment: {} });
      expect(READ[formOf(name)](readFileSync(file, "utf8"))[CLIENTS[name].key].nous).toBeDefined();
    },
  );

  test("keeps its permissions, and a link stays a link", () => {
    const home = temporaryFolder();
    const target = join(home, "dotfiles.toml");
    writeFileSync(target, SETTINGS.toml);
    chmodSync(target, 0o600);
    mkdirSync(join(home, ".codex"));
    symlinkSync(target, join(home, ".codex", "config.toml"));
    expect(run(home, ["mcp", "install", "--client", "codex"]).status).toBe(0);
    expect(lstatSync(join(home, ".codex", "config.toml")).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toContain("[mcp_servers.nous]");
    expect(statSync(target).mode & 0o777).toBe(0o600);
  });

  test("of OpenCode is the one with comments, if it is there", () => {
    const home = temporaryFolder();
    const file = join(home, ".config", "opencode", "opencode.jsonc");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, SETTINGS.json);
    expect(run(home, ["mcp", "install", "--client", "opencode"]).stdout).toContain(file);
    expect(readdirSync(dirname(file)).sort()).toEqual([
      "opencode.jsonc",
      "opencode.jsonc.before-nous",
    ]);
  });

  test("that cannot be edited is left, and the entry is told", () => {
    const home = temporaryFolder();
    const file = join(home, ".codex", "config.toml");
    mkdirSync(dirname(file));
    for (const text of [
      'mcp_servers = { other = { command = "x" } }\n',
      'mcp_servers.nous.command = "x"\n',
      "broken = \n",
      '[mcp_servers]\nnous = { command = "x" }\n',
    ]) {
      writeFileSync(file, text);
      const { status, stderr } = run(home, ["mcp", "install", "--client", "codex"]);
      expect({ status, stderr }).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("mend it"),
      });
      expect(stderr).toContain("[mcp_servers.nous]\ncommand = ");
      expect(readFileSync(file, "utf8")).toBe(text);
    }
  });
});

describe("an entry that is there", () => {
  const entry = { type: "stdio", command: "node", args: ["new", "b"], env: {}, enabled: true };
  const mine = { env: { NOUS_MCP_KEY: "k" }, enabled: false, timeout: 5 };
  const old = `{ "mcpServers": {\n  "nous": { // ours\n    "command": "old", "args": ["x"], "env": { "NOUS_MCP_KEY": "k" }, // key\n    "enabled": false, "timeout": 5 } } }\n`;
  const TEXTS = {
    json: old,
    toml: `[mcpServers.nous] # ours\n"command" = "old"\nargs = [\n  "x", # one\n]\nenv = { NOUS_MCP_KEY = "k" } # key\nenabled = false\ntimeout = 5\n`,
    yaml: `mcpServers:\n  nous: # ours\n    command: old\n    args: [x]\n    env:\n      NOUS_MCP_KEY: k # key\n    enabled: false\n    timeout: 5\n`,
  };
  const path = ["mcpServers", "nous"] as const;

  test.each(["json", "toml", "yaml"] as const)("keeps what the user added in %s", (form) => {
    const { edited } = FORMS[form];
    const after = edited(TEXTS[form], path, entry);
    expect(READ[form](after).mcpServers.nous).toEqual({ ...entry, ...mine });
    expect(after).toContain("# key".replace("#", form === "json" ? "//" : "#"));
    expect(edited(after, path, entry)).toBe(after);
    const removed = READ[form](edited(after, path, undefined));
    expect(removed.mcpServers ?? {}).toEqual({});
  });
});

test("an edit of YAML keeps numbers as they are written", () => {
  const numbers =
    "id: 9007199254740993\nmode: 0o0644\nhex: 0xFFFFFFFFFFFFFFFFF\nlow: 1e400\npi: 3.14159265358979323846\n";
  const after = FORMS.yaml.edited(numbers, ["extensions", "nous"], { args: ["a"], timeout: 300 });
  expect(after.startsWith(numbers)).toBe(true);
  expect(parseYaml(after).extensions).toEqual({ nous: { args: ["a"], timeout: 300 } });
});

describe("an edit of TOML", () => {
  const entry = { command: "node", args: ["a b", "c\\d"] };
  const { toml } = FORMS;
  const path = ["mcp_servers", "nous"] as const;

  test("replaces our table in its place, and keeps the tables below it and comments around it", () => {
    const text = `a = 1\n# ours\n[ mcp_servers . "nous" ] # here\ncommand = "old"\nargs = []\n# below\n[mcp_servers.nous.env]\nKEY = "k"\n\n# mine\n[[list]]\nb = 2\n[z]\n`;
    const after = toml.edited(text, path, entry);
    expect(parseToml(after)).toEqual({
      ...{ a: 1, list: [{ b: 2 }], z: {} },
      mcp_servers: { nous: { ...entry, env: { KEY: "k" } } },
    });
    for (const kept of ["# ours\n", "# below\n[mcp_servers.nous.env]", "# mine\n[[list]]"])
      expect(after).toContain(kept);
    const removed = toml.edited(after, path, undefined);
    expect(parseToml(removed)).toEqual({ a: 1, list: [{ b: 2 }], z: {} });
    expect(removed).toContain("# mine\n[[list]]");
    expect(toml.edited(removed, path, undefined)).toBe(removed);
  });

  test("keeps texts of several lines that look like tables", () => {
    const text = `note = """\n[mcp_servers.nous]\ncommand = "no"\n"""\n`;
    expect(() => toml.edited(text, path, undefined)).toThrow("cannot be edited");
    expect(() => toml.edited(text, path, entry)).toThrow("cannot be edited");
    const other = `note = """\n[other]\n"""\n`;
    expect(parseToml(toml.edited(other, path, entry))).toMatchObject({ note: "[other]\n" });
  });
});

describe("the hooks of Claude Code", () => {
  const project = () => {
    const home = temporaryFolder();
    const folder = join(home, "skerry");
    mkdirSync(folder);
    return { home, folder, file: join(folder, ".claude", "settings.json") };
  };
  const line = (role: string, content: unknown, more: object = {}) =>
    JSON.stringify({
      type: role,
      message: { role, content },
      timestamp: "2026-11-20T10:00:00Z",
      ...more,
    });
  const TRANSCRIPT = [
    '{"type":"summary","summary":"Deploys"}',
    line("user", "Deploys of skerry go to Fly.io since Monday."),
    line("user", "<command-name>/clear</command-name>"),
    line("user", "A secret note of the program.", { isMeta: true }),
    line("assistant", [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "The staging database of skerry is called quokka." },
      { type: "tool_use", name: "Bash", input: { command: "ls" } },
    ]),
    line("user", [{ type: "tool_result", content: "total 0" }]),
    line("assistant", "From a helper.", { isSidechain: true }),
    '{"type":"assistant","mess',
  ].join("\n");

  test("are written beside others, once, and removed again", () => {
    const { home, folder, file } = project();
    mkdirSync(dirname(file));
    const mine = `{\n  // mine\n  "model": "opus",\n  "hooks": {\n    "SessionStart": [\n      // greet\n      { "hooks": [{ "type": "command", "command": "echo hi" }] }\n    ]\n  }\n}\n`;
    writeFileSync(file, mine);
    const given = ["--client", "claude-code", "--project", folder, "--hooks"];
    expect(run(home, ["mcp", "install", ...given, "--dry-run"]).stdout).toContain("session-end");
    expect(readFileSync(file, "utf8")).toBe(mine);
    for (const agent of ["mira", "mira", "it's"])
      expect(run(home, ["mcp", "install", ...given, "--agent", agent]).status).toBe(0);
    const installed = readFileSync(file, "utf8");
    const { hooks, model } = parseJson(installed);
    expect(installed).toContain("// mine");
    expect(installed).toContain("// greet");
    expect(model).toBe("opus");
    expect(hooks.SessionStart).toHaveLength(2);
    expect(hooks.SessionStart[0].hooks[0].command).toBe("echo hi");
    expect(hooks.SessionStart[1].matcher).toBe("startup|clear|compact");
    expect(hooks.SessionEnd).toHaveLength(1);
    expect(hooks.SessionEnd[0].hooks[0]).toMatchObject({ type: "command", timeout: 30 });
    expect(hooks.SessionEnd[0].hooks[0].command).toContain("hook session-end --agent 'it'\\''s'");
    expect(run(home, ["mcp", "uninstall", ...given]).status).toBe(0);
    expect(parseJson(readFileSync(file, "utf8"))).toEqual(parseJson(mine));
    expect(run(home, ["mcp", "uninstall", ...given]).stdout).toContain("Nothing to remove");
    expect(run(home, ["mcp", "install", "--client", "cursor", "--hooks"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("claude-code"),
    });
    // Without other settings nothing is left of them.
    const alone = project();
    const there = ["--client", "claude-code", "--project", alone.folder, "--hooks"];
    expect(run(alone.home, ["mcp", "install", ...there]).status).toBe(0);
    expect(run(alone.home, ["mcp", "uninstall", ...there]).status).toBe(0);
    expect(parseJson(readFileSync(alone.file, "utf8"))).toEqual({});
  }, 60_000);

  test("leave other programs' hooks alone, and what has another form", () => {
    const { home, folder, file } = project();
    mkdirSync(dirname(file));
    const theirs = [
      { matcher: "startup" },
      { hooks: [{ type: "command", command: "node /opt/other/dist/cli.mjs hook session-start" }] },
      {
        hooks: [{ type: "command", command: "node /opt/cli.mjs hook session-start --data-dir x" }],
      },
    ];
    const moved = "K=v node '/my apps/nous-server/dist/cli.mjs' hook session-start --data-dir /old";
    const old = { hooks: [{ type: "command", command: moved }] };
    writeFileSync(file, JSON.stringify({ hooks: { SessionStart: [...theirs, old] } }));
    const given = ["--client", "claude-code", "--project", folder, "--hooks"];
    expect(run(home, ["mcp", "install", ...given]).status).toBe(0);
    const { SessionStart } = parseJson(readFileSync(file, "utf8")).hooks;
    expect(SessionStart.slice(0, 3)).toEqual(theirs);
    expect(SessionStart).toHaveLength(4);
    expect(SessionStart[3].hooks[0].command).not.toContain("/old");
    expect(run(home, ["mcp", "uninstall", ...given]).status).toBe(0);
    expect(parseJson(readFileSync(file, "utf8"))).toEqual({ hooks: { SessionStart: theirs } });
  });

  /** Runs the command of an installed hook as Claude Code does: by a shell, with JSON on its input. */
  function fire(home: string, file: string, event: string, given: object) {
    const { hooks } = parseJson(readFileSync(file, "utf8"));
    const { command } = hooks[event][0].hooks[0];
    return spawnSync("sh", ["-c", command], {
      encoding: "utf8",
      cwd: home,
      input: JSON.stringify({ hook_event_name: event, ...given }),
      env: { PATH: process.env.PATH, HOME: home, NOUS_EMBEDDINGS_MODEL: "english-128" },
    });
  }

  test("keep what was said in one session, and tell it in the next", async () => {
    const { home, folder, file } = project();
    const data = join(home, "data");
    const given = ["--client", "claude-code", "--project", folder, "--hooks", "--data-dir", data];
    expect(run(home, ["mcp", "install", ...given, "--agent", "mine"]).status).toBe(0);
    const transcript_path = join(home, "session.jsonl");
    writeFileSync(transcript_path, TRANSCRIPT);
    const session = { session_id: "s-1", transcript_path, cwd: folder };
    expect(fire(home, file, "SessionStart", { ...session, source: "startup" })).toMatchObject({
      ...{ status: 0, stdout: "" },
    });
    // A session that ends twice is stored once.
    for (const reason of ["clear", "logout"])
      expect(fire(home, file, "SessionEnd", { ...session, reason })).toMatchObject({
        ...{ status: 0, stdout: "", stderr: "" },
      });
    const told = fire(home, file, "SessionStart", { ...session, session_id: "s-2" });
    expect(told).toMatchObject({ status: 0, stderr: "" });
    expect(told.stdout).toContain("Deploys of skerry go to Fly.io since Monday.");
    // A server that runs answers the hooks.
    const server = await start(data);
    const { body } = await clientOf(server, "mine").ask("GET /nodes?session=s-1");
    expect(body.data.map((node: { content_title: string }) => node.content_title).sort()).toEqual([
      "assistant: The staging database of skerry is called quokka.",
      "user: Deploys of skerry go to Fly.io since Monday.",
    ]);
    expect(body.data[0]).toMatchObject({
      source: "claude-code",
      created_at: "2026-11-20T10:00:00.000Z",
    });
    expect(fire(home, file, "SessionStart", session).stdout).toContain("Fly.io");
  }, 120_000);

  test("say what is wrong, and read no more of a transcript than words", () => {
    const home = temporaryFolder();
    const hook = (input: string) => run(home, ["hook", "session-end"], { input });
    expect(hook("")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("Claude Code gives"),
    });
    const none = { session_id: "s", transcript_path: join(home, "none"), cwd: home };
    expect(hook(JSON.stringify(none))).toMatchObject({ status: 1, stdout: "" });
    expect(run(home, ["hook", "other"]).status).toBe(1);
    expect(existsSync(join(home, ".local", "share", "nous", "agents"))).toBe(false);
    expect(messagesIn(TRANSCRIPT)).toEqual([
      {
        ...{ role: "user", content: "Deploys of skerry go to Fly.io since Monday." },
        created_at: "2026-11-20T10:00:00Z",
      },
      {
        ...{ role: "assistant", content: "The staging database of skerry is called quokka." },
        created_at: "2026-11-20T10:00:00Z",
      },
    ]);
  });
});
