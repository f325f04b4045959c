import type { Person } from '../test/helpers/people.ts';
import { createWorkspace } from '../test/helpers/people.ts';
import { createFlow } from '../test/helpers/runs.ts';
import { median } from './load.ts';

const WAIT_MS = 20_000;

/** The smallest flow: one set with an expression. */
export const ONE_SET = `do:\n  - sum: { set: { n: '\${ $input.n + 1 }' } }\n`;

/** Returns the flow of most figures: three HTTP calls, then a set with an expression. */
export const threeCallsAndSet = (port: number): string => {
  const call = `{ call: http, with: { method: get, endpoint: 'http://127.0.0.1:${port}/' } }`;
  return `
do:
  - first: ${call}
  - second: ${call}
  - third: ${call}
  - sum: { set: { n: '\${ $input.n + 1 }' } }
`;
};

export interface EndedRun {
  status: string;
  startedAt: string;
  completedAt: string;
}

export type StartRun = () => Promise<EndedRun>;

/** Stores the flow, in a new workspace unless one is given. Each call of the returned function runs it to its end. */
export async function prepareFlow(
  owner: Person,
  content: string,
  workspaceId?: number,
): Promise<StartRun> {
  const flowId = await createFlow(owner, workspaceId ?? (await createWorkspace(owner)), content);
  return async () => {
    const { status, body } = await owner.call<EndedRun>('POST', `/flows/${flowId}/runs`, {
      query: { wait: WAIT_MS },
      body: { input: { n: 1 } },
    });
    if (status !== 200 || body.status !== 'SUCCESS') {
      throw new Error(`the run answered ${status}, ${body?.status}`);
    }
    return body;
  };
}

export interface LoadResult {
  perSecond: number;
  completed: number;
  /** The median time of a run in milliseconds. */
  latencyMs: number;
}

/**
 * Starts runs by `clients` clients, each with one run at a time, for `seconds`. Every started run is awaited and counts
 * with its time, so that no work is left for the next measure.
 */
export async function loadRuns(
  startRun: (n: number) => Promise<unknown>,
  clients: number,
  seconds: number,
): Promise<LoadResult> {
  const times: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let next = 0;
  const beClient = async () => {
    while (performance.now() < end) {
      const started = performance.now();
      await startRun(next++);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: clients }, beClient));
  const elapsed = (performance.now() - begin) / 1000;
  return { perSecond: times.length / elapsed, completed: times.length, latencyMs: median(times) };
}
