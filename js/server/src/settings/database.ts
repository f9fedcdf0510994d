// Which database the settings name: `database_url`, the file of `database_url_file`, or DATABASE_URL,
// the variable that programs share, unless a data folder is named. A URL may have a password. It is
// taken out of the URL, which is printed and logged, and becomes `database_token`.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { SettingsError } from "../refusal.ts";
import { isPostgres, splitUrl, warnOfPassword } from "./database-url.ts";
import { flagOf, type Settings, variableOf } from "./options.ts";
import { agentsDir } from "./paths.ts";

/** The variable that names a database to programs of any kind. */
const COMMON_VARIABLE = "DATABASE_URL";

type Source = [place: string, value: unknown];
type Named = Pick<Settings, "database_url" | "database_token">;

/**
 * Returns the URL without its password, and the password.
 *
 * @throws {SettingsError} If settings contradict each other, or the URL cannot be used.
 */
export function databaseOf(
  settings: Settings,
  environment: NodeJS.ProcessEnv,
  sourceOf: (name: keyof Named | "database_url_file" | "data_dir") => Source,
  check: (place: string, url: string) => string,
): Named {
  const [place, url] = placeOfUrl(settings, environment, sourceOf);
  const { database_token: token } = settings;
  if (url === "") return { database_url: "", database_token: token };
  const { url: database_url, password } = splitUrl(check(place, url))!;
  if (password === "") return { database_url, database_token: token };
  if (token !== "" && token !== password)
    throw new SettingsError(
      `${place} has a password, and ${sourceOf("database_token")[0]} is another: leave one of them out.`,
    );
  if (place === flagOf("database_url")) warnOfPassword(place);
  return { database_url, database_token: password };
}

/** Returns the URL, which may be empty, and the place that names it. */
function placeOfUrl(
  { data_dir, database_url_file: file }: Settings,
  environment: NodeJS.ProcessEnv,
  sourceOf: (name: "database_url" | "database_url_file" | "data_dir") => Source,
): [place: string, url: string] {
  const [place, given] = sourceOf("database_url") as [string, string | undefined];
  if (file !== "") {
    const [filePlace] = sourceOf("database_url_file");
    if (given !== undefined && given !== "")
      throw new SettingsError(
        `${place} and ${filePlace} both name a database: leave one of them out.`,
      );
    return [`the URL in ${file}`, urlIn(file, filePlace)];
  }
  if (given !== undefined) return [place, given];
  const common = environment[COMMON_VARIABLE] ?? "";
  if (common === "") return ["", ""];
  const [shared, own] = [`the environment variable ${COMMON_VARIABLE}`, variableOf("database_url")];
  if (!isPostgres(common)) {
    console.error(`${shared} names no PostgreSQL database, and is ignored.`);
    return ["", ""];
  }
  // The variable may be another program's: a folder that was named for this one counts.
  const [folderPlace, folder] = sourceOf("data_dir");
  if (folder !== undefined) {
    console.error(
      `${shared} is ignored, since ${folderPlace} names a folder: for that database set ${own}.`,
    );
    return ["", ""];
  }
  // Memories that are here must not seem to be lost.
  if (hasAgents(data_dir))
    throw new SettingsError(
      `${shared} names a database, and ${data_dir} has memories, too. Say which counts: ` +
        `set ${own} to the URL, or to nothing for the folder. \`nous-server move\` copies them.`,
    );
  return [shared, common];
}

/** @throws {SettingsError} If there is no URL in the file. */
function urlIn(file: string, place: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new SettingsError(
      `${place} is ${file}, which cannot be read: ${(error as Error).message}.`,
    );
  }
  if (text === "") throw new SettingsError(`${place} is ${file}, which is empty.`);
  return text;
}

function hasAgents(dataDir: string): boolean {
  const folder = agentsDir(dataDir);
  return existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(".db"));
}
