export function provenanceOf(made: {
  sums: string;
  version: string;
  revision: string;
  isChanged: boolean;
  repository?: string | undefined;
}): string;
