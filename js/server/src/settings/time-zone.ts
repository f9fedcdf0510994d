// The time zone of an agent: the setting `time_zone`.

import { isTimeZone } from "nous-wasm";
import { z } from "zod";
import { isAgentName } from "./agent-names.ts";
import { partsOf, valueFor } from "./per-agent.ts";

/** The schema of an entry of the setting. */
export const zoning = z.string().refine(
  (entry) => {
    const { agent, value } = partsOf(entry);
    return isTimeZone(value) && (agent === undefined || isAgentName(agent));
  },
  {
    error:
      "must be the name of a time zone, such as Europe/Berlin, or for one agent NAME=ZONE; with commas between",
  },
);

/** Returns the name of the time zone of an agent. */
export const zoneFor = (entries: readonly string[], agent: string | undefined): string =>
  valueFor(entries, agent) ?? "UTC";
