import type http from 'node:http';
import type { Result } from '../fixtures/e2e.ts';
import type { Answer } from './http.ts';
import { LocalServer } from './local-server.ts';
import type { Person } from './people.ts';
import { waitFor } from './wait.ts';

export type RunAnswer = Result<'runs.list'>[number];
export type StepAnswer = Result<'runs.listSteps'>[number];

/** A flow of that file in the workspace; its id. */
export async function createFlow(
  owner: Person,
  workspaceId: number,
  content: string,
  name = `flow-${Math.random().toString(36).slice(2)}`,
): Promise<number> {
  const { status, body, text } = await owner.call<{ id: number }>('POST', '/flows', {
    body: { workspaceId, name, content },
  });
  if (status !== 200) throw new Error(`creating a flow answered ${status}: ${text}`);
  return body.id;
}

export function startRun(
  owner: Person,
  flowId: number,
  options: { input?: unknown; wait?: number } = {},
): Promise<Answer<RunAnswer>> {
  const { input, wait } = options;
  return owner.call('POST', `/flows/${flowId}/runs`, {
    query: { wait },
    ...(input === undefined ? {} : { body: { input } }),
  });
}

/** Runs a flow to its end. */
export async function runToEnd(owner: Person, flowId: number, input?: unknown): Promise<RunAnswer> {
  const { status, body, text } = await startRun(owner, flowId, { input, wait: 20_000 });
  if (status === 202) return endOf(owner, body.id); // a busy machine
  if (status !== 200) throw new Error(`the run answered ${status}: ${text}`);
  return body;
}

const ENDED = ['SUCCESS', 'FAILED', 'CANCELLED', 'TIMED_OUT'];

export async function getRun(owner: Person, runId: number): Promise<RunAnswer> {
  return (await owner.call<RunAnswer>('GET', `/flows/runs/${runId}`)).body;
}

export const endOf = (owner: Person, runId: number, withinMs?: number): Promise<RunAnswer> =>
  waitFor(
    `the end of run ${runId}`,
    async () => {
      const run = await getRun(owner, runId);
      return ENDED.includes(run?.status) ? run : null; // an error is no end: a process may be away
    },
    withinMs,
  );

/** Counts the flow's runs with the status WAITING. */
export async function countWaiting(owner: Person, flowId: number): Promise<number> {
  const { body } = await owner.call<RunAnswer[]>('GET', `/flows/${flowId}/runs`);
  return body.filter(({ status }) => status === 'WAITING').length;
}

export async function stepsOf(owner: Person, runId: number): Promise<StepAnswer[]> {
  return (await owner.call<StepAnswer[]>('GET', `/flows/runs/${runId}/steps`)).body;
}

/** Makes a task that runs the latest version of the flow with that id or name. */
export const runTask = (flow: number | string, more: object = {}) => ({
  run: { workflow: { namespace: 'workspace', name: String(flow), version: 'latest', ...more } },
});

export interface LocalCall {
  path: string;
  method: string;
  key: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** A server on this machine that flows call: it notes every request and answers as its path says. */
export class LocalApi extends LocalServer {
  readonly calls: LocalCall[] = [];
  readonly #held: http.ServerResponse[] = [];

  constructor() {
    super((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.#answer(request, response, Buffer.concat(chunks).toString()));
    });
  }

  get url(): string {
    return this.origin;
  }

  /** Makes a task that posts to a path of this server. */
  task(path: string, more: object = {}) {
    return { call: 'http', with: { method: 'post', endpoint: `${this.url}${path}`, ...more } };
  }

  /** Returns the idempotency keys of the calls of a path, one for each call. */
  keysOf(path: string): string[] {
    return this.calls.filter((call) => call.path === path).map(({ key }) => key);
  }

  /** Lets the requests to `/hold` go. */
  letGo(): void {
    for (const response of this.#held.splice(0)) response.end('{"held":true}');
  }

  /** `/ok…`, `/status/<n>`, `/flaky/<failures>/…` (503 so often), `/slow/<ms>`, `/hold…`, `/bytes/<n>`. */
  #answer(request: http.IncomingMessage, response: http.ServerResponse, body: string): void {
    const path = request.url ?? '';
    const key = String(request.headers['idempotency-key']);
    const before = this.keysOf(path).length;
    this.calls.push({ path, method: request.method ?? '', key, headers: request.headers, body });
    response.setHeader('content-type', 'application/json');
    const [, kind, argument = ''] = path.split('/');
    const value = JSON.stringify({ path, n: before + 1 });
    if (kind?.startsWith('hold')) {
      this.#held.push(response);
      return;
    }
    if (kind === 'slow') {
      setTimeout(() => response.end(value), Number(argument)).unref();
      return;
    }
    if (kind === 'status') response.statusCode = Number(argument);
    if (kind === 'flaky' && before < Number(argument)) response.statusCode = 503;
    if (kind === 'broken') {
      response.end('{"broken"');
      return;
    }
    response.end(kind === 'bytes' ? JSON.stringify('x'.repeat(Number(argument) - 2)) : value);
  }
}

/** The `Idempotency-Key` of a call: the name of an installation, the run, and the place of the call in it. */
export const callKey = (runId: number, place: string) =>
  expect.stringMatching(new RegExp(`^[a-z2-7]{12}/${runId}${place}$`));
