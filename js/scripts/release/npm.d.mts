export const PUBLISHED: readonly string[];
export function packNpm(options: {
  to: string;
  work: string;
  repository?: string;
  folders?: readonly string[];
}): string[];
export function unpack(tarball: string, to: string): void;
