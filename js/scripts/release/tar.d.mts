export function archived(
  root: string,
  epoch: number,
  folders?: readonly { path: string; mode: number; owner?: number }[],
): Buffer;
