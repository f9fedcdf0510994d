import type { KeyObject } from "node:crypto";

export const BUNDLE: string;
export const PUBLIC_KEY: string;
export function hashesOf(folder: string): Record<string, string>;
export function verifyFolder(
  folder: string,
  key: KeyObject,
): { subject: { name: string; digest: { sha256: string } }[] };
