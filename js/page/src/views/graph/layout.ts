// Places of the nodes: forces pull linked memories and those of one run together. The same graph
// always gives the same places; no timers.

import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from "d3-force";
import type { Neighbourhood } from "../../memory/spread.ts";

export interface Place {
  x: number;
  y: number;
}

const TICKS = 260;
/** The angle between two nodes of the spiral on which they begin. */
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const STEP = 22;

interface Body extends SimulationNodeDatum {
  isAnswer: boolean;
}

interface Pull {
  source: number;
  target: number;
  isThread: boolean;
}

/** How strongly nodes are drawn to the middle: along the longer side, and the shorter. */
const [LONG, SHORT] = [0.045, 0.085];

/** Returns a place for each node of a graph, in a picture that is high or wide. */
export function layoutOf({ nodes, links, threads }: Neighbourhood, isHigh: boolean): Place[] {
  const bodies = nodes.map(
    ({ rank }, index): Body => ({
      x: STEP * Math.sqrt(index) * Math.cos(index * GOLDEN),
      y: STEP * Math.sqrt(index) * Math.sin(index * GOLDEN),
      isAnswer: rank !== null,
    }),
  );
  const pulls: Pull[] = [
    ...links.map(({ source, target }) => ({ source, target, isThread: false })),
    ...threads.flatMap(({ nodes: members }) =>
      members.slice(1).map((target, at) => ({ source: members[at]!, target, isThread: true })),
    ),
  ];
  forceSimulation(bodies)
    .stop()
    .force(
      "links",
      forceLink<Body, Pull>(pulls)
        .distance(({ isThread }) => (isThread ? 30 : 48))
        .strength(({ isThread }) => (isThread ? 0.5 : 0.22)),
    )
    .force(
      "apart",
      forceManyBody<Body>()
        .strength(({ isAnswer }) => (isAnswer ? -190 : -60))
        .distanceMax(320),
    )
    .force(
      "room",
      forceCollide<Body>(({ isAnswer }) => (isAnswer ? 24 : 10)),
    )
    .force("x", forceX<Body>().strength(isHigh ? SHORT : LONG))
    .force("y", forceY<Body>().strength(isHigh ? LONG : SHORT))
    .tick(TICKS);
  return bodies.map(({ x = 0, y = 0 }) => ({ x, y }));
}
