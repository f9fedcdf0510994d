// The engine in a worker at the edge (workerd). The module is loaded with the script.

import { rerankTop } from "nous-wasm";

export default {
  async fetch(request) {
    const { candidates, metrics, now } = await request.json();
    const ranking = rerankTop(candidates, metrics, { limit: 5, now });
    return Response.json(
      ranking.map(({ node, score, primary_signal }) => ({ id: node.id, score, primary_signal })),
    );
  },
};
