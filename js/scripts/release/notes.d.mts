export function sectionOf(changelog: string, heading: string): string | undefined;
