import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface ReadChart {
  nodes: { id: string; label: string }[];
  edges: { start: string; end: string; label: string }[];
  error?: undefined;
}

/** Mermaid's own parser, in a process of its own. */
export class MermaidParser {
  readonly #child = spawn(process.execPath, [join(__dirname, 'mermaid-parser.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  readonly #answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();

  /** Reads one chart at a time. */
  async read(text: string): Promise<ReadChart | { error: string }> {
    this.#child.stdin.write(`${JSON.stringify(text)}\n`);
    const { value } = await this.#answers.next();
    return JSON.parse(value ?? '{"error":"the parser has ended"}');
  }

  stop(): void {
    this.#child.kill();
  }
}
