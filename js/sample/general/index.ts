// A general memory: one year of a person, a household and a software project, as an agent keeps it.
// It was written by hand, in English, German and Japanese, one file per month. People, companies
// and events are made up.
//
// The memory is hard on purpose. Some events look alike (four visits to the dentist, two trips to
// Oban), some people share a first name (two Toms, two Sophies, two Annas), some facts change and
// are replaced without a word that says so, and some memories say nearly the same.

import december from "./memories/2025-12.json";
import january from "./memories/2026-01.json";
import february from "./memories/2026-02.json";
import march from "./memories/2026-03.json";
import april from "./memories/2026-04.json";
import may from "./memories/2026-05.json";
import june from "./memories/2026-06.json";
import july from "./memories/2026-07.json";
import august from "./memories/2026-08.json";
import september from "./memories/2026-09.json";
import october from "./memories/2026-10.json";
import november from "./memories/2026-11.json";

export { GENERAL_SUBTYPES } from "./subtypes.ts";

/** The languages of the general memory, by ISO 639-1. */
export const LANGUAGES = ["en", "de", "ja"] as const;
/** A language of the general memory. */
export type Language = (typeof LANGUAGES)[number];

/** A memory of the general memory. */
export interface GeneralMemory {
  /** The name of the memory, unique, of small letters, digits and hyphens. */
  readonly id: string;
  /** The kind of the memory, for example `custom:appointment`. A key of {@link GENERAL_SUBTYPES}. */
  readonly subtype: string;
  /** The instant at which the agent stored the memory, ISO 8601 in UTC. */
  readonly created_at: string;
  /** The instant of the event that the memory announces, ISO 8601 in UTC. */
  readonly event_time?: string | undefined;
  /** The conversation, journey or project of the memory, for example `kanazawa-trip`. */
  readonly cluster?: string | undefined;
  /** The speaker of a turn of a conversation: `Jana` or `assistant`. */
  readonly speaker?: string | undefined;
  /** The language of the text. English if absent. */
  readonly language?: string | undefined;
  /** The title. Turns of a conversation have none. */
  readonly title?: string | undefined;
  /** The text, of 1 to about 125 words. */
  readonly text: string;
}

/** The first instant of the year that the general memory covers, ISO 8601. */
export const GENERAL_START = "2025-12-01T00:00:00Z";
/** The present of the general memory: no memory is younger. ISO 8601. */
export const GENERAL_END = "2026-12-01T00:00:00Z";

/** All memories of the general memory, in the order of their making. */
export const GENERAL_MEMORIES: readonly GeneralMemory[] = [
  december,
  january,
  february,
  march,
  april,
  may,
  june,
  july,
  august,
  september,
  october,
  november,
].flat();

/**
 * Returns the run that a memory belongs to: its cluster, or the day of its making.
 *
 * @example
 * ```ts
 * clusterOf({ id: "bins", subtype: "custom:fact", created_at: "2026-08-26T08:50:00Z", text: "…" });
 * // "2026-08-26"
 * ```
 */
export function clusterOf({ cluster, created_at }: GeneralMemory): string {
  return cluster ?? created_at.slice(0, "2026-08-26".length);
}
