import type { KeyObject } from "node:crypto";

export function privateKeyOf(
  file: string | undefined,
  env?: Record<string, string | undefined>,
): KeyObject | undefined;
export function publicKeyOf(file: string): KeyObject;
export function keyOfRun(): KeyObject;
export function publicHalf(key: KeyObject): string;
export function signed(statement: string, key: KeyObject): string;
export function statementOf(text: string, key: KeyObject): string;
