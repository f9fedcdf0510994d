/** A constant of the wire layout. */
export interface LayoutConstant {
  name: string;
  value: number;
  about: string;
  /** For a field: the record that it belongs to, and the count of its numbers. */
  record?: string;
  width?: number;
}
export function readLayout(text: string): LayoutConstant[];
export function layoutAsTypeScript(text: string): string;
