// Writes the hooks of Claude Code into its settings, and removes them. Other hooks and settings stay.

import { homedir, platform } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { SettingsError } from "../refusal.ts";
import { objectIn, withValue } from "./config-files.ts";
import { type Installation, type InstallOptions, joined, textOf } from "./install.ts";
import { HOOK_EVENTS, type HookEvent } from "./session-hooks.ts";

/** How long a hook may take, in seconds. Without it Claude Code ends the one at the end after 1.5. */
const TIMEOUT = 30;
/** The sources of sessions that do not know what an earlier one did. */
const MATCHERS: Partial<Record<HookEvent, string>> = { "session-start": "startup|clear|compact" };

interface Group {
  matcher?: string;
  hooks?: { command?: unknown }[];
}

/**
 * Returns the settings of Claude Code with our hooks, or without them if `args` is undefined.
 *
 * @throws {SettingsError} If the file cannot be read as JSON.
 */
export function hooksOf({
  home = homedir(),
  system = platform(),
  environment = process.env,
  project,
  command,
  args,
}: Omit<InstallOptions, "client" | "args"> & {
  args: readonly string[] | undefined;
}): Installation {
  const where = { system };
  const folder =
    project === undefined
      ? environment.CLAUDE_CONFIG_DIR || joined(where, home, ".claude")
      : joined(where, project, ".claude");
  const file = joined(where, folder, "settings.json");
  const before = textOf(file);
  let after = before === undefined || before.trim() === "" ? "{}\n" : before;
  const added: Record<string, Group[]> = {};
  try {
    for (const [event, name] of Object.entries(HOOK_EVENTS) as [HookEvent, string][]) {
      const ours = args && groupOf(event, [command, ...args]);
      if (ours !== undefined) added[name] = [ours];
      after = withGroup(after, { event, name, ours });
    }
    const left = objectIn(after).hooks;
    if (args === undefined && left !== undefined && Object.keys(left as object).length === 0)
      after = withValue(after, ["hooks"], undefined);
  } catch (error) {
    throw new SettingsError(
      `${file} cannot be edited as JSON (${(error as Error).message}): mend it first.`,
    );
  }
  const entry = args === undefined ? "" : JSON.stringify({ hooks: added }, null, 2);
  return { file, before, after, entry };
}

function groupOf(event: HookEvent, [program, ...args]: readonly string[]): Group {
  const words = [program!, args[0]!, "hook", event, ...args.slice(1)];
  const hook = { type: "command", command: words.map(quoted).join(" "), timeout: TIMEOUT };
  const matcher = MATCHERS[event];
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [hook] };
}

/** Returns a word as a POSIX shell takes it, which Claude Code uses on Windows, too. */
const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Returns a text with our group of an event, or without it. */
function withGroup(
  text: string,
  { event, name, ours }: { event: HookEvent; name: string; ours: Group | undefined },
): string {
  const groups = groupsIn(text, name);
  if (ours !== undefined && groups.some((group) => isDeepStrictEqual(group, ours))) return text;
  let edited = text;
  let isThere = false;
  for (let at = groups.length - 1; at >= 0; at--) {
    let rest = withoutOurs(groups[at]!, event);
    if (rest === groups[at]) continue;
    // The new one takes the place of the old one.
    if (rest === undefined && !isThere) {
      isThere = ours !== undefined;
      rest = ours;
    }
    edited = withValue(edited, ["hooks", name, at], rest);
  }
  const left = groupsIn(edited, name).length;
  if (ours !== undefined) return isThere ? edited : withValue(edited, ["hooks", name, left], ours);
  return left === 0 && groups.length > 0 ? withValue(edited, ["hooks", name], undefined) : edited;
}

const groupsIn = (text: string, name: string): Group[] =>
  (objectIn(text).hooks as Record<string, Group[]> | undefined)?.[name] ?? [];

/**
 * Returns a group without our hook; undefined if it has no other. Ours is the command that `groupOf` writes,
 * by whichever copy of the package, and with whatever the user set before it.
 */
function withoutOurs(group: Group, event: HookEvent): Group | undefined {
  if (!Array.isArray(group.hooks)) return group;
  const program = "[\\\\/](?:nous-server|js[\\\\/]server)[\\\\/]dist[\\\\/]cli\\.mjs'?";
  const ours = new RegExp(`${program} hook ${event} (?:--agent .+ )?--data-dir `);
  const hooks = group.hooks.filter((hook) => !ours.test(String(hook?.command)));
  if (hooks.length === group.hooks.length) return group;
  return hooks.length === 0 ? undefined : { ...group, hooks };
}
