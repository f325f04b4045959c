import type { RecordedEvent } from '../../../contract/outgoing-event.ts';
import { Problem, Unavailable } from '../../../contract/problem.ts';
import { RUN_EVENTS, RunModel } from '../../../models/run.model.ts';
import { RunEventPublisher } from '../../../services/runs/outgoing/run-event-publisher.ts';
import { useDatabase } from '../../helpers/database.ts';
import { comes } from '../../helpers/wait.ts';
import { newRun } from './engine.ts';

useDatabase([RunModel]);
beforeEach(async () => void (await RunModel.collection.deleteMany()));

const { started, ended } = RUN_EVENTS;
const store = (ids: readonly number[], eventsPending: number) =>
  RunModel.insertMany(
    ids.map((_id) => newRun({ _id, status: 'SUCCESS', startedAt: new Date(), eventsPending })),
    { lean: true },
  );
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
const pending = async () =>
  (await RunModel.find({ eventsPending: { $gt: 0 } }, { _id: 1 }).lean()).map(({ _id }) => _id);

let publisher: RunEventPublisher;
afterEach(() => publisher.stop());

/** Starts a publisher whose events are recorded by `record`. */
function start(
  record: (events: readonly RecordedEvent[]) => Promise<void>,
  isSweeper: () => Promise<boolean> = async () => false,
): void {
  publisher = new RunEventPublisher({
    wanted: async (ids) =>
      ids.map((workspaceId) => ({ workspaceId, types: ['run.started', 'run.succeeded'] })),
    record,
    isSweeper,
    onError: () => undefined,
  });
  publisher.start();
}

test('runs that met an outage of the service are published once it is back, without the sweep', async () => {
  await store(range(1, 450), ended);
  let calls = 0;
  start(async () => {
    if (++calls === 2) throw new Problem(Unavailable, 'away');
  });
  for (const id of range(1, 450)) publisher.notify(id);
  expect(await comes(async () => (await pending()).length === 0, 20_000)).toBe(true);
});

test('a run whose event is refused keeps its flag, and holds up no other run', async () => {
  await store(range(1, 250), ended);
  start(async (events) => {
    if (events.some(({ resource }) => resource.id === 7)) throw new TypeError('refused');
  });
  for (const id of range(1, 250)) publisher.notify(id);
  expect(await comes(async () => (await pending()).length === 1, 20_000)).toBe(true);
  expect(await pending()).toEqual([7]);
});

test('one sweep publishes all runs that were left, whichever of their events are', async () => {
  await store(range(1, 250), ended);
  await store(range(251, 300), started | ended);
  await store(range(1_001, 1_250), started);
  const sweeps = [true];
  start(
    async () => undefined,
    async () => sweeps.pop() ?? false,
  );
  expect(await comes(async () => (await pending()).length === 0, 20_000)).toBe(true);
});
