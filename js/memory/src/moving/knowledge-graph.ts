// Reads the file of the MCP reference server `memory`: entities with observations, and relations
// between entities, a line of JSON each, or its answer `{ entities, relations }`.

import type { JsonPart } from "./json-parts.ts";
import { keyOf } from "./key.ts";
import {
  isObject,
  type Json,
  leftOut,
  listIn,
  type Moved,
  type Place,
  type SourceFile,
  someText,
  wrongPart,
} from "./moved.ts";

const isEntity = (json: unknown): json is Json =>
  isObject(json) && typeof json.name === "string" && Array.isArray(json.observations);
const isRelation = (json: unknown): json is Json =>
  isObject(json) && typeof json.from === "string" && typeof json.to === "string";
const isAnswer = (json: unknown): json is Json => isObject(json) && Array.isArray(json.entities);

/** Returns whether JSON is a part of a knowledge graph of that server. */
export const isKnowledgeGraph = (json: unknown): boolean =>
  isEntity(json) || isRelation(json) || isAnswer(json);

/** What is told of an entity. */
interface Entity {
  place: Place;
  type: string | undefined;
  texts: string[];
}

/**
 * Yields a run for each entity. It has a memory for each observation, and for each relation from
 * the entity; an entity without either is a memory itself. A link leads from what is told of an
 * entity first to what is told of the other one first.
 */
export function* readKnowledgeGraph(
  { name: file }: Pick<SourceFile, "name">,
  parts: Iterable<JsonPart>,
): Iterable<Moved> {
  const entities = new Map<string, Entity>();
  const relations: { place: Place; from: string; to: string; verb: string }[] = [];
  const of = (name: string, place: Place): Entity => {
    const there = entities.get(name) ?? { place, type: undefined, texts: [] };
    entities.set(name, there);
    return there;
  };
  for (const { json, of: kind, number } of parts) {
    const place: Place = { file, of: kind, number };
    const within = isAnswer(json) ? [...listIn(json.entities), ...listIn(json.relations)] : [json];
    for (const part of within) {
      if (isEntity(part)) {
        const entity = of(String(part.name), place);
        entity.type ??= someText(part.entityType);
        for (const observation of listIn(part.observations)) {
          const text = someText(observation);
          if (text === undefined) yield leftOut(place, "an observation without words");
          else entity.texts.push(text);
        }
      } else if (isRelation(part)) {
        const { from, to, relationType } = part;
        const verb = someText(relationType) ?? "relates_to";
        of(String(from), place).texts.push(`${from} ${verb.replaceAll("_", " ")} ${to}`);
        relations.push({ place, from: String(from), to: String(to), verb });
      } else yield wrongPart(place, "is no entity and no relation");
    }
  }
  const first = new Map<string, string>();
  for (const [name, { place, type, texts }] of entities) {
    const run = { id: keyOf("mcp-memory", name), name };
    const title = type === undefined ? name : `${name} (${type})`;
    // The same sentence twice is one memory.
    for (const text of texts.length > 0 ? new Set(texts) : [title]) {
      const id = keyOf("mcp-memory", name, text);
      if (!first.has(name)) first.set(name, id);
      yield {
        ...{ kind: "memory", place, id, text, type, title, source: "mcp-memory", run },
      };
    }
  }
  for (const { place, from, to, verb } of relations) {
    const [source, target] = [first.get(from), first.get(to)];
    if (target === undefined)
      yield leftOut(place, "a relation to an entity that is not in the file");
    else yield { kind: "link", place, from: source!, to: target, type: verb };
  }
}
