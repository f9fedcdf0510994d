export function partsFor(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ("postgres" | "telemetry")[];
