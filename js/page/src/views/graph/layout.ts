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
  /** How far it keeps others away, and how strongly it drives them apart. */
  room: number;
  charge: number;
}

interface Pull {
  source: number;
  target: number;
  length: number;
  strength: number;
}

/** Lengths and strengths of the forces that pull two nodes together. */
const LINK = { length: 48, strength: 0.22 };
const THREAD = { length: 30, strength: 0.5 };
const ALIKE = { length: 70, strength: 0.18 };

/** How strongly nodes are drawn to the middle: along the longer side, and the shorter. */
const [LONG, SHORT] = [0.045, 0.085];

/** Nodes that keep room for a label, where it stands beside the node, and its half height. */
const LABELLED = 8;
const CROWD = 60;
const LABEL = [34, 62, 90, 118];
const LABEL_ROOM = 19;
/** The places are drawn out to fill the picture, by this factor at most. */
const MAX_DRAWN = 1.7;

/** Returns a place for each node of a graph, in a picture whose width is `aspect` heights. */
export function layoutOf(graph: Neighbourhood, aspect: number): Place[] {
  const { nodes, links, threads, alike } = graph;
  const isHigh = aspect < 1;
  const largest = Math.max(1, ...nodes.map(({ activation }) => activation.at(-1)!));
  const bodies = nodes.map(
    ({ rank, activation }, index): Body => ({
      x: STEP * Math.sqrt(index) * Math.cos(index * GOLDEN),
      y: STEP * Math.sqrt(index) * Math.sin(index * GOLDEN),
      ...(rank === null
        ? { room: 10 + 12 * (activation.at(-1)! / largest) ** 0.45, charge: -60 }
        : { room: 24, charge: -190 }),
    }),
  );
  // In a crowd the important nodes keep room for a label; a narrow picture has none to give.
  const labels =
    isHigh || nodes.length < CROWD
      ? []
      : byImportance(graph)
          .slice(0, LABELLED)
          .flatMap((index) => LABEL.map((away) => ({ of: bodies[index]!, away })));
  const rooms = labels.map((): Body => ({ room: LABEL_ROOM, charge: 0 }));
  const keepRoom = () => {
    for (const [place, { of, away }] of labels.entries())
      Object.assign(rooms[place]!, { fx: of.x! + away, fy: of.y!, x: of.x! + away, y: of.y! });
  };
  keepRoom();
  const pulls: Pull[] = [
    ...links.map(({ source, target }) => ({ source, target, ...LINK })),
    ...threads.flatMap(({ nodes: members }) =>
      members.slice(1).map((target, at) => ({ source: members[at]!, target, ...THREAD })),
    ),
    ...alike.map((pair) => ({ ...pair, ...ALIKE })),
  ];
  forceSimulation([...bodies, ...rooms])
    .stop()
    .force("labels", keepRoom)
    .force(
      "links",
      forceLink<Body, Pull>(pulls)
        .distance(({ length }) => length)
        .strength(({ strength }) => strength),
    )
    .force(
      "apart",
      forceManyBody<Body>()
        .strength(({ charge }) => charge)
        .distanceMax(320),
    )
    .force(
      "room",
      forceCollide<Body>(({ room }) => room),
    )
    .force("x", forceX<Body>().strength(isHigh ? SHORT : LONG))
    .force("y", forceY<Body>().strength(isHigh ? LONG : SHORT))
    .tick(TICKS);
  return drawnOut(
    bodies.map(({ x = 0, y = 0 }) => ({ x, y })),
    aspect,
  );
}

/** Returns places that are drawn out to the aspect of the picture. */
function drawnOut(places: readonly Place[], aspect: number): Place[] {
  const wide = reachOf(places.map(({ x }) => x));
  const high = reachOf(places.map(({ y }) => y));
  if (wide === 0 || high === 0) return [...places];
  const by = (factor: number) => Math.min(MAX_DRAWN, Math.max(1, factor));
  const [across, down] = [by((aspect * high) / wide), by(wide / (aspect * high))];
  return places.map(({ x, y }) => ({ x: x * across, y: y * down }));
}

const reachOf = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

/** Returns the nodes: the first three answers, then the others by their activation at the end. */
export function byImportance({ nodes }: Neighbourhood): number[] {
  const amount = (index: number) => nodes[index]!.activation.at(-1)!;
  const isFirst = (index: number) => Number((nodes[index]!.rank ?? Infinity) <= 3);
  return [...nodes.keys()].sort(
    (a, b) => isFirst(b) - isFirst(a) || amount(b) - amount(a) || a - b,
  );
}
