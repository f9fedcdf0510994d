export function namesPostgres(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): boolean;
