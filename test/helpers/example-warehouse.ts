import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { exitOf } from './process.ts';
import { waitFor } from './wait.ts';

const PROGRAM = join(import.meta.dirname, '../../examples/warehouse.ts');
const OPEN = /^the warehouse is open on (?<url>\S+)$/m;

/** The warehouse of the examples, as a person starts it, on a free port. */
export class ExampleWarehouse {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(): Promise<ExampleWarehouse> {
    const child = spawn(process.execPath, [PROGRAM, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const url = await waitFor('the warehouse', () => OPEN.exec(output)?.groups?.url);
    return new ExampleWarehouse(child, url);
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await exitOf(this.#child);
  }

  async get<T>(path: string): Promise<T> {
    return (await (await fetch(this.url + path)).json()) as T;
  }

  /** Makes the next requests of a path fail with a status. */
  async failNext(path: string, status: number, times: number): Promise<void> {
    const body = JSON.stringify({ path, status, times });
    await fetch(`${this.url}/faults`, { method: 'POST', body });
  }
}
