// The metrics of the server's registry as OpenTelemetry has them. Their names stay those of `/metrics`.

import { type HrTime, ValueType } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
} from "@opentelemetry/sdk-metrics";
import type { Measured } from "./telemetry.ts";

type Value = Measured["values"][number];

/** Returns metrics that count from `startedAt` to `now`, in milliseconds since 1970. */
export function metricDataOf(
  measured: readonly Measured[],
  startedAt: number,
  now: number,
): MetricData[] {
  const times = { startTime: millisToHrTime(startedAt), endTime: millisToHrTime(now) };
  return measured.map(({ name, help, type, values }): MetricData => {
    const common = {
      descriptor: { name, description: help, unit: "", valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    if (type === "histogram")
      return {
        ...{ ...common, dataPointType: DataPointType.HISTOGRAM },
        dataPoints: histogramsOf(values, times),
      };
    const dataPoints = values.map(({ labels, value }) => ({
      ...{ ...times, attributes: labelsOf(labels), value },
    }));
    return type === "counter"
      ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
      : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
  });
}

/** Puts the values of histograms together: the registry has one for each bucket, each with those below. */
function histogramsOf(
  values: readonly Value[],
  times: { startTime: HrTime; endTime: HrTime },
): DataPoint<Histogram>[] {
  const points = new Map<string, DataPoint<Histogram>>();
  for (const { labels, value, metricName = "" } of values) {
    const { le, ...others } = labels;
    const attributes = labelsOf(others);
    const key = JSON.stringify(attributes);
    const point = points.get(key) ?? {
      ...{ ...times, attributes },
      value: { buckets: { boundaries: [], counts: [] }, sum: 0, count: 0 },
    };
    points.set(key, point);
    const { value: histogram } = point;
    const { boundaries, counts } = histogram.buckets;
    if (metricName.endsWith("_sum")) histogram.sum = value;
    else if (metricName.endsWith("_count")) histogram.count = value;
    else {
      if (le !== "+Inf") boundaries.push(Number(le));
      counts.push(value - counts.reduce((sum, count) => sum + count, 0));
    }
  }
  return [...points.values()];
}

const labelsOf = (labels: Value["labels"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );
