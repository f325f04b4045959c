import { RunModel } from '../../../models/run.model.ts';
import { insertRun } from '../../../services/runs/engine/writes/run-writes.ts';
import { startTriggered } from '../../../services/runs/starts/triggered-start.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { newRun, onRunsDatabase } from './engine.ts';

type Start = Parameters<typeof startTriggered>[0];
type Tools = Parameters<typeof startTriggered>[2];

onRunsDatabase();

const flow = { id: 7, workspaceId: 1, name: 'nightly' };
const version = { flow, workspaceId: 1, versionId: 9 };
const engine = {
  flows: { findVersion: async () => version },
  ask: async () => ({ exists: true }),
} as unknown as Tools['engine'];

/** Starts an occurrence of the schedule 7, by its minute. `beforeInsert` comes between the checks and the insert. */
function start(
  minute: number,
  fields: Partial<Start> = {},
  beforeInsert: () => Promise<unknown> = async () => null,
) {
  const starter: Tools['starter'] = {
    startFlow: async (_version, _versionId, { startKey, singletonKey }) => {
      await beforeInsert();
      const run = newRun({
        ...(startKey === undefined ? {} : { startKey }),
        ...(singletonKey === undefined ? {} : { singletonKey }),
      });
      await insertRun(run);
      return run;
    },
  };
  const params: Start = {
    workspaceId: 1,
    flowId: 7,
    startKey: keyOf(minute),
    startedBy: { type: 'system', id: 7, name: 'schedule' },
    input: '{}',
    configuration: null,
    skipsOverlap: true,
    ...fields,
  };
  return startTriggered(params, changeContext(), { starter, engine, traceparent: undefined });
}

const keyOf = (minute: number, schedule = 7) =>
  `schedule/${schedule}/${new Date(minute * 60_000).toISOString()}`;
const end = (minute: number) =>
  RunModel.updateOne(
    { startKey: keyOf(minute) },
    { $set: { status: 'SUCCESS' }, $unset: { live: 1 } },
  );
const startedKeys = async () =>
  (await RunModel.find({}, { startKey: 1 }).sort({ startKey: 1 }).lean()).map(
    ({ startKey }) => startKey,
  );

test('an occurrence starts no run beside that of an earlier one, and the next one starts once it has ended', async () => {
  expect(await start(1)).toMatchObject({ outcome: 'STARTED' });
  expect(await start(2)).toEqual({ outcome: 'OVERLAPPED' });
  await end(1);
  expect(await start(3)).toMatchObject({ outcome: 'STARTED' });
  expect(await startedKeys()).toEqual([keyOf(1), keyOf(3)]);
});

test('a delayed start of an earlier occurrence starts no run beside that of a later one', async () => {
  await start(1);
  await end(1);
  await start(3);
  expect(await start(2)).toEqual({ outcome: 'OVERLAPPED' });
  expect(await startedKeys()).toEqual([keyOf(1), keyOf(3)]);
});

test.each([
  ['earlier', 2, 1],
  ['later', 1, 2],
])(
  'a start of the %s occurrence between the checks and the insert wins',
  async (_name, mine, other) => {
    expect(await start(mine, {}, () => start(other))).toEqual({ outcome: 'OVERLAPPED' });
    expect(await startedKeys()).toEqual([keyOf(other)]);
  },
);

test('a repetition between the checks and the insert is the same run', async () => {
  let repeated: unknown;
  const first = await start(1, {}, async () => {
    repeated = await start(1);
  });
  expect(first).toMatchObject({ outcome: 'STARTED' });
  expect(repeated).toEqual(first);
  expect(await startedKeys()).toEqual([keyOf(1)]);
});

test('a run that was started before the schedule skipped overlaps counts while it is live, also when a later one has ended', async () => {
  await start(1, { skipsOverlap: false });
  await start(2, { skipsOverlap: false });
  await end(2);
  expect(await start(3)).toEqual({ outcome: 'OVERLAPPED' });
});

test('schedules whose ids begin alike do not count for one another', async () => {
  await start(1, { startKey: keyOf(1, 70) });
  expect(await start(1)).toMatchObject({ outcome: 'STARTED' });
});
