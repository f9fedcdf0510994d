// Reads the file of the MCP reference server `memory`: entities with observations, and relations
// between entities, a line of JSON each, or its answer `{ entities, relations }`.

import {
  type ExportRow,
  isObject,
  type Json,
  membership,
  type Reading,
  someText,
  type Text,
} from "./reading.ts";

const isEntity = (json: unknown): json is Json =>
  isObject(json) && typeof json.name === "string" && Array.isArray(json.observations);
const isRelation = (json: unknown): json is Json =>
  isObject(json) && typeof json.from === "string" && typeof json.to === "string";

/** Returns the entities and relations of JSON as one list. */
const listOf = (json: readonly unknown[]): readonly unknown[] =>
  json.flatMap((part) =>
    isObject(part) && Array.isArray(part.entities)
      ? [...part.entities, ...(Array.isArray(part.relations) ? part.relations : [])]
      : part,
  );

/** Returns whether JSON is a knowledge graph of that server. */
export const isKnowledgeGraph = (json: readonly unknown[]): boolean => {
  const list = listOf(json);
  return list.some(isEntity) && list.every((part) => isEntity(part) || isRelation(part));
};

/**
 * Returns a run for each entity. It has a memory for each observation, and for each relation from
 * the entity. An entity without either is a memory itself.
 */
export function readKnowledgeGraph(
  { name: file, modified }: Text,
  json: readonly unknown[],
): Reading {
  const created_at = new Date(modified).toISOString();
  const told = new Map<string, { type: string | undefined; texts: string[] }>();
  const of = (name: string) => {
    const there = told.get(name) ?? { type: undefined, texts: [] };
    told.set(name, there);
    return there;
  };
  for (const part of listOf(json)) {
    if (isEntity(part)) {
      const entity = of(String(part.name));
      entity.type ??= someText(part.entityType);
      const observations = (part.observations as unknown[]).flatMap((text) => someText(text) ?? []);
      entity.texts.push(...observations);
    } else if (isRelation(part)) {
      const { from, to, relationType } = part;
      const verb = someText(relationType)?.replaceAll("_", " ") ?? "relates to";
      of(String(from)).texts.push(`${from} ${verb} ${to}`);
    }
  }
  const rows = [...told].flatMap(([name, { type, texts }]): ExportRow[] => {
    const cluster = `${file}:${name}`;
    const title = type === undefined ? name : `${name} (${type})`;
    const bodies = texts.length > 0 ? texts : [""];
    return [
      { kind: "cluster", id: cluster, name, created_at },
      ...bodies.flatMap((content_body, place) => {
        const id = `${cluster}:${place + 1}`;
        const node: ExportRow = {
          kind: "node",
          id,
          type: "note",
          subtype: "custom:note",
          content_title: title,
          content_body,
          provenance_source: "file",
          provenance_created_at: created_at,
          created_at,
        };
        return [node, membership(cluster, id)];
      }),
    ];
  });
  return { rows, wrong: [] };
}
