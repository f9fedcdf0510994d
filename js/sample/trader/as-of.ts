// The sample at an earlier instant: later memories are missing, and later recalls are not counted.
// Edges keep their final strengths; everything else is that of the instant.

import { stabilityAt } from "./memory-model.ts";
import { playbookBody } from "./playbooks.ts";
import type { SampleEdge, SampleNode } from "./types.ts";

/** Returns the sample as it was at an earlier instant, in milliseconds since 1970. */
export function sampleAt(
  sample: { readonly nodes: readonly SampleNode[]; readonly edges: readonly SampleEdge[] },
  at: number,
): { nodes: SampleNode[]; edges: SampleEdge[] } {
  const nodes = sample.nodes
    .filter((node) => node.created_at <= at)
    .map((node) => {
      const access_times = node.access_times.filter((time) => time <= at);
      return {
        ...node,
        access_times,
        read_times: node.read_times.filter((time) => time <= at),
        access_count: access_times.length,
        last_accessed: access_times.at(-1) ?? node.created_at,
        stability: stabilityAt(node, at),
        content_body: node.feedback
          ? playbookBody(node.content_body, node.feedback, at)
          : node.content_body,
        ...(node.feedback ? { feedback: node.feedback.filter((one) => one.at <= at) } : {}),
      };
    });
  return { nodes, edges: sample.edges.filter((edge) => edge.created_at <= at) };
}
