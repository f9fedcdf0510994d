/** A Node: its program, and its version. */
export interface Node {
  program: string;
  version: string;
}
/** What an image contains: Node, or a package of the system. */
export interface Content {
  name: string;
  version: string;
  distribution?: string;
}
export function imageOf(version: string): string;
export function layOutSystem(ofSystem: string, ofNode: string, node?: Node): Content[];
export function nodeOfNpm(of?: readonly [name: string, version: string, integrity: string]): Node;
export function configOf(of: {
  layers: readonly { id: string }[];
  version: string;
  revision: string;
  repository?: string;
  epoch: number;
}): {
  config: {
    User: string;
    ExposedPorts: Record<string, object>;
    Env: string[];
    Entrypoint: string[];
    WorkingDir: string;
    Volumes: Record<string, object>;
    StopSignal: string;
    Healthcheck: { Test: string[]; Interval: number; StartPeriod: number };
  };
};
