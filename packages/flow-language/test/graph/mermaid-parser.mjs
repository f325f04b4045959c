/**
 * Reads flowcharts with Mermaid's own parser: a line of JSON has the text of a chart, and the answer the labels of its nodes
 * and its edges, or the error. It is a process of its own because jest does not load Mermaid's modules.
 */
import { createInterface } from 'node:readline';
import DOMPurify from 'dompurify';
import mermaid from 'mermaid';

// The parser cleans labels for a browser's document, which is not there.
Object.assign(DOMPurify, { addHook() {}, sanitize: (text) => text });

async function read(text) {
  await mermaid.parse(text);
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  return {
    nodes: [...db.getVertices()].map(([id, { text: label }]) => ({ id, label })),
    edges: db.getEdges().map(({ start, end, text: label }) => ({ start, end, label })),
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await read(JSON.parse(line)).catch((error) => ({ error: String(error) }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
