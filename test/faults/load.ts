import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, request } from '../helpers/http.ts';
import type { StartedRun } from './checks.ts';
import type { FaultFlow } from './flows.ts';
import type { System } from './system.ts';

export type Work = 'read' | 'write' | 'run' | 'wait';

/** One request of the load and its outcome. */
export interface Sample {
  work: Work;
  /** By `performance.now()`. */
  began: number;
  ended: number;
  /** 0 when the connection broke. */
  status: number;
}

export interface Target {
  token: string;
  workspaceId: number;
  flow: FaultFlow & { id: number };
}

const PAUSE_MS = 10;
const CLIENTS: readonly Work[] = ['read', 'read', 'read', 'read', 'write', 'write', 'run', 'wait'];
/** Milliseconds that a request waits for a run, longer than a process may take to stop: the process must end the wait. */
export const WAIT_MS = 10_000;

/** Tells whether a run was started: it is in progress or has ended. */
const isStarted = (status: number): boolean => status === 202 || status === 200;

/** A steady load of reads, writes and runs, as from behind a load balancer that knows every gateway. */
export class Load {
  readonly samples: Sample[] = [];
  /** Issues whose creation was acknowledged. */
  readonly written: number[] = [];
  readonly started: StartedRun[] = [];
  readonly #system: System;
  readonly #target: Target;
  readonly #clients: Promise<void>[];
  #stopped = false;
  #turn = 0;

  constructor(system: System, target: Target) {
    this.#system = system;
    this.#target = target;
    this.#clients = CLIENTS.map((work) => this.#work(work));
  }

  /** Resolves when every request in flight has been answered. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  async #work(work: Work): Promise<void> {
    while (!this.#stopped) {
      const began = performance.now();
      const status = await this.#once(work);
      this.samples.push({ work, began, ended: performance.now(), status });
      await sleep(work === 'read' || work === 'write' ? PAUSE_MS : 10 * PAUSE_MS);
    }
  }

  async #once(work: Work): Promise<number> {
    const { workspaceId, flow } = this.#target;
    const issues = `/workspaces/${workspaceId}/issues`;
    if (work === 'read') return (await this.#send('GET', `${issues}?limit=1`))?.status ?? 0;
    const tag = `${workspaceId}t${this.#turn}`;
    const runs = `/flows/${flow.id}/runs${work === 'wait' ? `?wait=${WAIT_MS}` : ''}`;
    const path = work === 'write' ? issues : runs;
    const body = work === 'write' ? { title: tag, description: '' } : { input: { tag } };
    const answer = await this.#send('POST', path, body);
    if (answer?.status === 201) this.written.push(answer.body.id);
    if (answer && isStarted(answer.status)) this.started.push({ id: answer.body.id, tag, flow });
    return answer?.status ?? 0;
  }

  /** Sends a request. When a gateway's port is closed, the request is sent to the next gateway. */
  async #send(method: string, path: string, body?: object): Promise<Answer<{ id: number }> | null> {
    const { token } = this.#target;
    for (let tries = 0; tries < 50; tries++) {
      const { urls } = this.#system;
      const url = urls[this.#turn++ % urls.length] ?? '';
      try {
        return await request(url, method, path, body ? { token, body } : { token });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') return null;
        await sleep(PAUSE_MS);
      }
    }
    return null;
  }
}
