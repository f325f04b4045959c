import { randomUUID } from 'node:crypto';
import type { Person } from '../../test/helpers/people.ts';
import { createWorkspace } from '../../test/helpers/people.ts';
import { createFlow, runTask } from '../../test/helpers/runs.ts';
import { FIGURES, type Figure } from '../figures.ts';
import { prepareFlow, threeCallsAndSet } from '../run-load.ts';
import type { Restate } from './restate.ts';

type StartRun = () => Promise<unknown>;

/** A workload of both systems. The promise of a start resolves after the end of its run. */
export interface Workload {
  name: string;
  /** What is measured beside Restate at each number of clients: runs a second, and the CPU time of a run. */
  figures: readonly { clients: number; rate: Figure; cpu?: Figure }[];
  /** The figures of the database commands of a run, by the number of clients. */
  commands?: readonly (readonly [clients: number, figure: Figure])[];
  /** Stores the flow. The returned function runs it to its end in our service. */
  prepareOurs(owner: Person, targetPort: number): Promise<StartRun>;
  /** Runs the same to its end in Restate. */
  startTheirs(restate: Restate): Promise<unknown>;
}

const call = (port: number) => ({
  call: 'http',
  with: { method: 'get', endpoint: `http://127.0.0.1:${port}/` },
});
const fileOf = (...tasks: object[]): string => JSON.stringify({ do: tasks });
const ADD_ONE = { add: { set: { n: `\${ $input.n + 1 }` } } };

const CALLS: Workload = {
  name: 'three calls and a set',
  figures: [
    { clients: 1, rate: FIGURES.restate1 },
    { clients: 8, rate: FIGURES.restate8, cpu: FIGURES.restateCpu },
    { clients: 32, rate: FIGURES.restate32 },
  ],
  commands: [
    [1, FIGURES.commandsOfOne],
    [8, FIGURES.commandsOf8],
    [32, FIGURES.commands],
  ],
  prepareOurs: (owner, port) => prepareFlow(owner, threeCallsAndSet(port)),
  startTheirs: (restate) => restate.invoke('flow/run', { n: 1 }),
};

const FORK: Workload = {
  name: 'a fork of 8 calls',
  figures: [{ clients: 8, rate: FIGURES.restateFork }],
  prepareOurs(owner, port) {
    const branches = Array.from({ length: 8 }, (_, n) => ({ [`branch${n}`]: call(port) }));
    return prepareFlow(owner, fileOf({ all: { fork: { branches } } }));
  },
  startTheirs: (restate) => restate.invoke('flow/fork', { n: 8 }),
};

const LOOP: Workload = {
  name: 'a loop of 100 calls',
  figures: [{ clients: 8, rate: FIGURES.restateLoop, cpu: FIGURES.restateLoopCpu }],
  prepareOurs(owner, port) {
    const loop = { for: { each: 'n', in: `\${ [1..100] }` }, do: [{ get: call(port) }] };
    return prepareFlow(owner, fileOf({ loop }));
  },
  startTheirs: (restate) => restate.invoke('flow/loop', { n: 100 }),
};

const CHILD: Workload = {
  name: 'a child run of one set',
  figures: [{ clients: 8, rate: FIGURES.restateChild, cpu: FIGURES.restateChildCpu }],
  commands: [[8, FIGURES.commandsOfChild]],
  async prepareOurs(owner) {
    const workspaceId = await createWorkspace(owner);
    const child = await createFlow(owner, workspaceId, fileOf(ADD_ONE));
    const input = { n: `\${ $input.n }` };
    return prepareFlow(owner, fileOf({ child: runTask(child, { input }) }), workspaceId);
  },
  startTheirs: (restate) => restate.invoke('flow/parent', { n: 1 }),
};

/** Three requests in both systems: start, signal, and the wait for the end. */
const SIGNAL: Workload = {
  name: 'a run that waits for a signal',
  figures: [{ clients: 8, rate: FIGURES.restateSignal, cpu: FIGURES.restateSignalCpu }],
  commands: [[8, FIGURES.commandsOfSignal]],
  async prepareOurs(owner) {
    const listen = { to: { one: { with: { type: 'approve' } } } };
    const flowId = await createFlow(
      owner,
      await createWorkspace(owner),
      fileOf({ hold: { listen } }),
    );
    return async () => {
      const { body } = await owner.call<{ id: number }>('POST', `/flows/${flowId}/runs`, {
        body: { input: { n: 1 } },
      });
      await owner.call('POST', `/flows/runs/${body.id}/signals/approve`, { body: { by: 'ada' } });
      const { text } = await owner.call('GET', `/flows/runs/${body.id}/events`);
      if (!text.includes('"SUCCESS"')) throw new Error(`the run ended otherwise: ${text}`);
    };
  },
  startTheirs: (restate) => restate.approve(randomUUID()),
};

export const WORKLOADS: readonly Workload[] = [CALLS, FORK, LOOP, CHILD, SIGNAL];
