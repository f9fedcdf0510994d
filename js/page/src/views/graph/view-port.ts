// The part of the graph that the canvas shows.

import type { Place } from "./layout.ts";

/** A place of the graph is at `x · scale + left` on the canvas, in CSS pixels. */
export interface ViewPort {
  scale: number;
  left: number;
  top: number;
}

export interface Size {
  width: number;
  height: number;
}

/**
 * Room around the nodes, for labels and for the buttons below; at the sides a share of the width.
 */
const SIDES = 0.06;
const [ABOVE, BELOW] = [26, 52];
const [MIN, MAX] = [0.15, 6];

/** Returns the view in which all places fit. */
export function fitting(places: readonly Place[], { width, height }: Size): ViewPort {
  if (places.length === 0) return { scale: 1, left: width / 2, top: height / 2 };
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const side = Math.max(20, SIDES * width);
  const across = (width - 2 * side) / Math.max(1, x1 - x0);
  const down = (height - ABOVE - BELOW) / Math.max(1, y1 - y0);
  const scale = Math.min(1.8, Math.max(MIN, Math.min(across, down)));
  return {
    scale,
    left: width / 2 - (scale * (x0 + x1)) / 2,
    top: (height + ABOVE - BELOW) / 2 - (scale * (y0 + y1)) / 2,
  };
}

/** Returns the view enlarged by a factor, where a point of the canvas stays. */
export function zoomed(port: ViewPort, factor: number, at: Place): ViewPort {
  const scale = Math.min(MAX, Math.max(MIN, port.scale * factor));
  const by = scale / port.scale;
  return { scale, left: at.x - by * (at.x - port.left), top: at.y - by * (at.y - port.top) };
}

export const panned = (port: ViewPort, x: number, y: number): ViewPort => ({
  ...port,
  left: port.left + x,
  top: port.top + y,
});
