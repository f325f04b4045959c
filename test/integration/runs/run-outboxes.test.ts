import { ServiceBroker, type ServiceSchema } from 'moleculer';
import { Changes } from '../../../mixins/changes/changes.ts';
import { outboxOf } from '../../../mixins/changes/outbox.ts';
import type { OutboxEntry } from '../../../models/changed-document.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { cancelRun } from '../../../services/runs/cancel-run.ts';
import { runOutboxes } from '../../../services/runs/runs.outboxes.ts';
import { storeRun } from '../../../services/runs/starts/prepare-run.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { waitFor } from '../../helpers/wait.ts';
import { newRun, onRunsDatabase, queueRun, runOf } from './engine.ts';

onRunsDatabase();

/** The operation of each audit entry, by the entry's id: an entry that is handed over again counts once. */
const recorded = new Map<string, string>();
let broker: ServiceBroker;
beforeEach(() => {
  recorded.clear();
  broker = new ServiceBroker({ logger: false });
  broker.createService({
    name: 'workspaces',
    actions: {
      async recordAudit(ctx) {
        const { entries } = ctx.params as { entries: { id: string; operation: string }[] };
        for (const { id, operation } of entries) recorded.set(id, operation);
        return null;
      },
    },
  });
  broker.createService({ name: 'runs', mixins: [Changes(runOutboxes) as ServiceSchema] });
});
afterEach(() => broker.stop());

const change = (operation: string) => changeContext({ operation, audit: { resource: 'run' } });
const listeners = { onEnded: () => undefined, onRequested: () => undefined };
const cancel = (run: RunDocument) => cancelRun(run, change('runs.cancel'), listeners);
const outboxOfRun = async (run: RunDocument): Promise<OutboxEntry[]> =>
  (await runOf(run._id)).outbox ?? [];

/** A run that is yet to be stored, with the entry of its start. */
function startedRun(): RunDocument {
  const run = newRun();
  const resource = { id: run._id, workspaceId: run.workspaceId };
  return { ...run, outbox: outboxOf(change('runs.start'), resource, { at: new Date() }) };
}

/** A run that a worker holds. */
async function heldRun(): Promise<RunDocument> {
  const run = await queueRun({ status: 'RUNNING', worker: 'another', fence: 1 });
  await RunModel.updateOne({ _id: run._id }, { $unset: { ready: 1 } });
  return run;
}

test('a start and a cancel are carried on from the outbox of their run, each once', async () => {
  await broker.start();
  const run = startedRun();
  await storeRun(run);
  await cancel(run);
  await waitFor('the carrier', async () => (await outboxOfRun(run)).length === 0, 2_000);
  expect([...recorded.values()]).toEqual(['runs.start', 'runs.cancel']);
});

test.each([
  ['a run that no worker holds', () => queueRun(), 'CANCELLED'],
  ['a run that its worker ends', heldRun, 'RUNNING'],
])('a cancel of %s stores its entry in the same write', async (_name, make, status) => {
  const run = await make();
  expect((await cancel(run)).status).toBe(status);
  expect(await outboxOfRun(run)).toEqual([
    expect.objectContaining({
      call: 'workspaces.recordAudit',
      params: expect.objectContaining({
        operation: 'runs.cancel',
        resource: { type: 'run', id: run._id },
        workspaceId: run.workspaceId,
        changed: ['status'],
        requestId: 'request-1',
      }),
    }),
  ]);
});

test('a further cancel leaves no entry, and does not postpone the end of the run', async () => {
  const run = await heldRun();
  await cancel(run);
  const first = await runOf(run._id);
  expect((await cancel(run)).status).toBe('RUNNING');
  expect(await runOf(run._id)).toEqual(first);
});

test('a refused cancel leaves no entry', async () => {
  const run = await queueRun({ status: 'SUCCESS' });
  await RunModel.updateOne({ _id: run._id }, { $unset: { live: 1, ready: 1 } });
  await expect(cancel(run)).rejects.toThrow('The run has ended: SUCCESS.');
  expect(await outboxOfRun(run)).toEqual([]);
});
