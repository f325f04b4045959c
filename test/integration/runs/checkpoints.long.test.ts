import type { Plan, Task } from '@workspace-automation/flow-language';
import { z } from 'zod';
import { RunStepModel } from '../../../models/run-step.model.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  callsTo,
  endOf,
  literal,
  onRunsDatabase,
  planOf,
  queueRun,
  runOf,
  type Send,
  workerOf,
} from './engine.ts';

const { started } = onRunsDatabase();

const ROUNDS = 12;
const path = (name: string): string => `/do/0/each/do/0/${name}`;
const wait: Task = { kind: 'wait', name: 'wait', path: path('wait'), durationMs: 1_010 };
const [call] = callsTo('/a').tasks;
const set = (name: string, value: string): Task => ({
  kind: 'set',
  name,
  path: path(name),
  value: literal({ value }),
});

/** A loop with a call and a wait that each round is suspended for. Each round keeps a value of this length. */
const loopOf = (length: number): Plan =>
  planOf({
    kind: 'for',
    name: 'each',
    path: '/do/0/each',
    each: 'item',
    at: 'index',
    in: { source: 'a list', variables: [] },
    tasks: [
      set('before', 'x'.repeat(length)),
      { ...call, path: path('call') } as Task,
      set('middle', 'y'),
      wait,
      set('after', 'z'),
    ],
  });

/** The filter with which a worker reads moved entries: later ones, and those of tasks under way. */
const Filters = z.looseObject({
  $or: z.tuple([
    z.looseObject({ _id: z.looseObject({ $gt: z.string(), $lte: z.string() }) }),
    z.looseObject({ _id: z.looseObject({ $in: z.array(z.string()) }) }),
  ]),
});
const numberIn = (id: string): number => Number(id.split('/').at(-1));

test.each([
  ['in its document', 10],
  ['in a row of its own', 20_000],
])(
  'a run that is suspended in each round reads no earlier round, with its checkpoint %s',
  async (_, length) => {
    let calls = 0;
    const send: Send = async () => {
      calls += 1;
      return { n: calls };
    };
    const cursors = jest.spyOn(RunStepModel, 'find');
    const { _id } = await queueRun();
    const evaluate = async () => Array.from({ length: ROUNDS }, (_, n) => n);
    const evaluator = { evaluate, test: async () => true };
    await started(workerOf({ plan: loopOf(length), send, evaluator }));
    const checkpoint = await waitFor('a checkpoint', async () => (await runOf(_id)).checkpoint);
    expect(checkpoint.slot === undefined).toBe(length < 1_000);
    const before = cursors.mock.calls.length;
    const ended = await endOf({ _id }, 'SUCCESS');
    expect(calls).toBe(ROUNDS);
    expect(ended.checkpoint).toBeUndefined();
    expect(ended.moved).toBeGreaterThan(30);
    // A suspension after fewer than ten steps makes no checkpoint: two rounds are read again at most.
    for (const [filter] of cursors.mock.calls.slice(before)) {
      const [{ _id: later }, { _id: open }] = Filters.parse(filter).$or;
      expect(numberIn(later.$lte) - numberIn(later.$gt)).toBeLessThanOrEqual(20);
      expect(open.$in.length).toBeLessThanOrEqual(2);
    }
  },
  60_000,
);
