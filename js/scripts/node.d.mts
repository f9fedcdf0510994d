export function isNewEnough(version: string): boolean;
export function installNode(
  folder: string,
  of: readonly [name: string, version: string, integrity: string],
): string | undefined;
