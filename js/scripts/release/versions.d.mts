export interface Named {
  /** `FILE:LINE`. */
  place: string;
  version: string | undefined;
}
export function versionsNamed(): Named[];
export function currentVersion(): string;
export function outOfStep(version: string, named?: readonly Named[]): string[];
