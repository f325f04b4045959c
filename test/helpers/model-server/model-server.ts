import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { request } from '../http.ts';
import { waitFor } from '../wait.ts';
import { type ModelAnswer, type ModelRequest, markOf } from './model-answer.ts';

/** The script of one conversation. */
export interface Script {
  /** Stands in the message of the person, so that the server finds the script. */
  mark: string;
  /** The requests that have come so far, the oldest first. */
  requests(): Promise<ModelRequest[]>;
  /** Waits until so many requests have come. */
  untilAsked(times: number): Promise<ModelRequest[]>;
}

/** A model in a process of its own, by its address. */
export class ModelServer {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** The environment by which the service uses the model. */
  get env(): Record<string, string> {
    return { AGENT_BASE_URL: `${this.url}/v1`, AGENT_MODEL: 'test-model', AGENT_API_KEY: API_KEY };
  }

  async script(...answers: ModelAnswer[]): Promise<Script> {
    const name = randomUUID();
    const path = `/control/scripts/${name}`;
    await request(this.url, 'PUT', path, { body: answers });
    const requests = async () => (await request<ModelRequest[]>(this.url, 'GET', path)).body;
    return {
      mark: markOf(name),
      requests,
      untilAsked: (times) =>
        waitFor(`${times} requests to the model`, async () => {
          const known = await requests();
          return known.length >= times ? known : null;
        }),
    };
  }

  async openGate(name: string): Promise<void> {
    await request(this.url, 'POST', `/control/gates/${name}`);
  }
}

export const API_KEY = 'sk-test-key-of-the-model-server';

const running = new Set<ChildProcess>();

export function killModelServers(): void {
  for (const child of running) child.kill('SIGKILL');
}

export async function startModelServer(): Promise<ModelServer> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'process.ts')], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  child.stdout.destroy();
  child.unref();
  return new ModelServer(String(line).trim());
}
