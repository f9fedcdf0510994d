// A chart by uPlot, in the colours of the theme. The chart itself is a picture; a view gives the
// numbers beside it as text.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { theme } from "../app/theme.tsx";
import { colour } from "./colours.ts";

/** The properties that a view sets. This part sets size, font and colours of the axes. */
export type ChartOptions = Omit<uPlot.Options, "width" | "height" | "axes"> & {
  axes: [uPlot.Axis, uPlot.Axis];
};

interface ChartProps {
  /** The picture in a sentence. */
  label: string;
  /** Called again when the theme changes. */
  options: () => ChartOptions;
  data: uPlot.AlignedData;
  height: number;
  /** A value of x at which a line stands. */
  marker?: number | undefined;
  /** Called with the place in the data under the mouse; null when it leaves. */
  onPoint?: (place: number | null) => void;
  /** Called with the value of x that was clicked. */
  onPick?: (x: number) => void;
}

export function Chart({ label, options, data, height, marker, onPoint, onPick }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const latest = useRef({ marker, onPoint, onPick });
  latest.current = { marker, onPoint, onPick };
  const drawn = theme.value;

  useLayoutEffect(() => {
    const own = box.current!;
    const given = options();
    const made = new uPlot(
      {
        legend: { show: false },
        pxAlign: 0,
        ...given,
        width: own.clientWidth,
        height,
        axes: given.axes.map(styled),
        hooks: {
          ...given.hooks,
          draw: [(chart) => drawMarker(chart, latest.current.marker)],
          setCursor: [(chart) => latest.current.onPoint?.(chart.cursor.idx ?? null)],
        },
      },
      data,
      own,
    );
    plot.current = made;
    const pick = (event: MouseEvent) => {
      const { left } = made.over.getBoundingClientRect();
      latest.current.onPick?.(made.posToVal(event.clientX - left, "x"));
    };
    made.over.addEventListener("click", pick);
    const observer = new ResizeObserver(() => {
      if (own.clientWidth > 0) made.setSize({ width: own.clientWidth, height });
    });
    observer.observe(own);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [drawn]);

  useEffect(() => plot.current?.setData(data), [data]);
  useEffect(() => plot.current?.redraw(false), [marker]);

  return (
    <div
      ref={box}
      class={onPick === undefined ? "chart" : "chart picks"}
      role="img"
      aria-label={label}
    />
  );
}

const FONT_SIZE = 12;

function styled(axis: uPlot.Axis): uPlot.Axis {
  const font = `${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
  const [text, line] = [colour("soft"), colour("line")];
  return {
    stroke: text,
    font,
    labelFont: font,
    labelSize: 22,
    labelGap: 2,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 5 },
    ...axis,
  };
}

function drawMarker(chart: uPlot, marker: number | undefined): void {
  const { min, max } = chart.scales.x!;
  if (marker === undefined || marker < min! || marker > max!) return;
  const { ctx, bbox } = chart;
  const x = Math.round(chart.valToPos(marker, "x", true));
  ctx.save();
  ctx.fillStyle = colour("ink");
  const width = Math.max(1, Math.round(1.5 * devicePixelRatio));
  ctx.fillRect(x - width / 2, bbox.top, width, bbox.height);
  ctx.restore();
}
