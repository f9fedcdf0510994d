/** Returns the circles of folders below one, each as the imports that close it, in words. */
export function circlesIn(source: string): string[][];
