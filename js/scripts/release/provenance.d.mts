export function provenanceOf(made: {
  hashes: Readonly<Record<string, string>>;
  version: string;
  revision: string;
  isChanged: boolean;
  repository?: string | undefined;
  isDry: boolean;
}): string;
