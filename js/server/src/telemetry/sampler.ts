// Which requests are recorded, by the variables that OpenTelemetry names for that. Its packages for traces do
// not read them.

import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import { SettingsError } from "../refusal.ts";

const OF_PARENT = "parentbased_";
/** The samplers without regard to a parent, by their names. */
const ROOTS: Readonly<Record<string, (ratio: () => number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio()),
};
const NAMES = Object.keys(ROOTS).flatMap((name) => [OF_PARENT + name, name]);

/**
 * Returns the sampler that `OTEL_TRACES_SAMPLER` names, by default one that records each request unless its
 * client does not.
 *
 * @throws {SettingsError} If a variable is wrong: recording all in place of a share would be dear.
 */
export function samplerBy(env: NodeJS.ProcessEnv): Sampler {
  const name = env.OTEL_TRACES_SAMPLER || "parentbased_always_on";
  const isOfParent = name.startsWith(OF_PARENT);
  const root = isOfParent ? name.slice(OF_PARENT.length) : name;
  if (!Object.hasOwn(ROOTS, root))
    throw new SettingsError(
      `OTEL_TRACES_SAMPLER is ${JSON.stringify(name)}: name one of ${NAMES.join(", ")}.`,
    );
  const sampler = ROOTS[root]!(() => ratioOf(env.OTEL_TRACES_SAMPLER_ARG || "1"));
  return isOfParent ? new ParentBasedSampler({ root: sampler }) : sampler;
}

/** Returns the share of the requests that are recorded. */
function ratioOf(text: string): number {
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new SettingsError(
    `OTEL_TRACES_SAMPLER_ARG is ${JSON.stringify(text)}: must be a number from 0 to 1, such as 0.1.`,
  );
}
