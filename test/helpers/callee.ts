import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { exitOf } from './process.ts';
import { waitFor } from './wait.ts';

/** A process of a node that tests kill or freeze; `callee-process.ts` runs in it unless another script is named. */
export class CalleeProcess {
  readonly #child: ChildProcess;
  #output = '';

  private constructor(url: string, nodeID: string, script: string) {
    this.#child = spawn(process.execPath, [join(import.meta.dirname, script), url, nodeID], {
      env: { PATH: process.env.PATH, NODE_ENV: 'test' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#output += chunk.toString();
    });
  }

  static async start(
    url: string,
    nodeID: string,
    script = 'callee-process.ts',
  ): Promise<CalleeProcess> {
    const callee = new CalleeProcess(url, nodeID, script);
    await callee.untilSaid('ready');
    return callee;
  }

  /** The lines that the process has written. */
  lines(): string[] {
    return this.#output.trim().split('\n');
  }

  async untilSaid(line: string): Promise<void> {
    await waitFor(line, () => {
      if (this.#child.exitCode !== null) throw new Error('the callee has ended');
      return this.lines().includes(line);
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await exitOf(this.#child);
  }
}
