// Writes of edges.

import { type GradeOfGuess, SUPERSEDES, toIso, typeOfGuess } from "nous-memory";
import { getInitialEdgeStrength } from "nous-wasm";
import type { NewEdgeRequest } from "../../api/edges.ts";
import { newId } from "../../ids.ts";
import { Refusal } from "../../refusal.ts";
import type { EdgeRow, NewEdge } from "../../storage/rows.ts";
import type { Agent, Unit } from "../agent.ts";
import { countEdge } from "../rules/outcomes.ts";
import { dropGuess, guessesAbout } from "./guesses.ts";

/** Returns a new edge. Its ends have to exist. */
export function newEdgeOf(agent: Agent, fields: NewEdgeRequest): NewEdge {
  const { type, subtype = null, source_id, target_id } = fields;
  const strength = fields.strength ?? getInitialEdgeStrength(type);
  return {
    id: newId("e"),
    type,
    subtype,
    source_id,
    target_id,
    neural_weight: fields.neural_weight ?? strength,
    strength,
    confidence: fields.confidence ?? 1,
    created_at: toIso(agent.now()),
  };
}

/**
 * Within a `write`: inserts an edge, which may complete a closed trade.
 *
 * @throws {Refusal} If one of the two memories does not exist.
 */
export function insertEdge(agent: Agent, request: NewEdgeRequest, unit: Unit): EdgeRow {
  const { source_id, target_id, type } = request;
  checkThere(agent, { source_id, target_id });
  agent.checkNames({ "edge type": type });
  // What is sure is no guess any more.
  if (type === SUPERSEDES) dropGuess(agent, source_id, target_id);
  const edge = agent.storage.edges.insert(newEdgeOf(agent, request));
  countEdge(agent, edge, unit);
  return edge;
}

/** Within a `write`: links a memory to one that it may replace, once. What is told takes the place of what is faint. */
export function addGuess(
  agent: Agent,
  guess: { id: string; older: string; probability: number; grade: GradeOfGuess },
  unit: Unit,
): void {
  const { id, older, probability, grade } = guess;
  const before = guessesAbout(agent, id, "out").find(({ target_id }) => target_id === older);
  if (before !== undefined) {
    if (grade === "faint" || before.type !== typeOfGuess("faint")) return;
    dropGuess(agent, id, older);
  }
  const ends = { source_id: id, target_id: older, type: typeOfGuess(grade) };
  try {
    insertEdge(agent, { ...ends, strength: probability, confidence: probability }, unit);
  } catch (error) {
    // The agent has as many types of edges as it can have: the pair waits in the queue.
    if (!(error instanceof Refusal)) throw error;
  }
}

/**
 * Checks that memories exist, by the fields that name them.
 *
 * @throws {Refusal} If one does not exist.
 */
export function checkThere({ storage }: Agent, ids: Readonly<Record<string, string>>): void {
  const missing = Object.entries(ids).filter(([, id]) => storage.nodes.find(id) === undefined);
  if (missing.length === 0) return;
  const issues = missing.map(([path]) => ({ path, message: "there is no memory with this id" }));
  throw new Refusal(404, "not found", issues);
}
