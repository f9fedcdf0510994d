/** Bundles a program. Returns the path of the bundle. */
export function bundleProgram(source: string): Promise<string>;
