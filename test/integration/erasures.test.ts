jest.mock('../../mixins/sweep.ts', () => {
  const { Sweep } =
    jest.requireActual<typeof import('../../mixins/sweep.ts')>('../../mixins/sweep.ts');
  return { Sweep: (everyMs: number, work: () => Promise<void>) => Sweep(everyMs / 50, work) };
});

import { ServiceBroker } from 'moleculer';
import type { DocumentId } from '../../mixins/lifecycle/erasure-batches.ts';
import type { ErasureStep } from '../../mixins/lifecycle/erasure-steps.ts';
import { ErasureWorker } from '../../mixins/lifecycle/erasure-worker.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { defineModel, field } from '../../models/define-model.ts';
import { ERASURES, type ErasureDocument } from '../../models/erasure.model.ts';
import { useEmptyDatabase } from '../helpers/database.ts';
import { waitFor } from '../helpers/wait.ts';

const noteModel = (name: string) =>
  defineModel({
    name,
    collection: `${name}s`,
    fields: { _id: field.number, workspaceId: field.number },
    indexes: [[{ workspaceId: 1 }]],
    lifecycle: { workspace: { remove: 'workspaceId' }, person: { keep: 'a test' } },
  });
const DraftModel = noteModel('draft');
const NoteModel = noteModel('note');
const erasures = ERASURES.issues;
useEmptyDatabase([DraftModel, NoteModel, erasures]);

const WORKSPACE = 7;
const HOUR_AGO = new Date(Date.now() - 3_600_000);
/** The last pass of the erasure of a workspace. */
const LAST_PASS = 3;

/** Stores the erasure of a workspace, whose passes are all due. */
async function store(fields: Partial<ErasureDocument> = {}): Promise<void> {
  await erasures.create({
    _id: `workspace/${WORKSPACE}`,
    kind: 'workspace',
    targetId: WORKSPACE,
    addresses: [],
    requestedAt: HOUR_AGO,
    pass: 0,
    step: null,
    after: null,
    dueAt: HOUR_AGO,
    lease: null,
    failures: 0,
    ...fields,
  });
}

const stored = () => erasures.findOne().lean();

test('an erasure whose process died in the middle of a pass is finished by the sweep of another process', async () => {
  await store({ pass: 1, step: 'notes: remove', lease: 'died' });
  for (const model of [DraftModel, NoteModel]) {
    const ids = Array.from({ length: 1_001 }, (_, n) => n);
    await model.insertMany(ids.map((n) => ({ _id: n, workspaceId: n ? WORKSPACE : 8 })));
  }
  const broker = new ServiceBroker({ logger: false });
  const { mixin } = erasuresOf('issues', [DraftModel, NoteModel]);
  broker.createService({ name: 'notes', mixins: [mixin] });
  await broker.start();
  await waitFor('the end of the erasure', async () => !(await stored())).finally(() =>
    broker.stop(),
  );
  for (const model of [DraftModel, NoteModel]) {
    expect(await model.find().lean()).toEqual([{ _id: 0, workspaceId: 8 }]);
  }
});

/** The batches of all processes: the process, the step and the cursor before the batch. */
const batches: [process: string, step: string, after: DocumentId | null][] = [];

/** A process whose two steps have three batches each. `take` is called within each of its batches. */
function startProcess(process: string, take: (worker: ErasureWorker) => unknown = () => null) {
  const stepOf = (name: string): ErasureStep => ({
    name,
    async take(_, after) {
      batches.push([process, name, after]);
      await take(worker);
      return after === 2 ? null : { after: Number(after) + 1 };
    },
  });
  const steps = ['first', 'second'].map(stepOf);
  const onError = (error: unknown) => {
    throw error;
  };
  const worker = new ErasureWorker({
    erasures,
    steps: { workspace: steps, person: steps },
    onError,
  });
  worker.wake();
  return worker;
}

test('another process goes on at the saved place of an erasure, once its process stops or its lease has ended', async () => {
  await store({ pass: LAST_PASS });
  startProcess('stopping', (worker) => void (batches.length === 5 && worker.stop()));
  await waitFor('the stop', async () => (await stored())?.after === 2);
  const [hang, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hanging = startProcess('hanging', () => hang.promise);
  await waitFor('the batch that hangs', () => batches.length === 6);
  const leased = await stored();
  await startProcess('early').stop();
  expect(await stored()).toEqual(leased);

  await erasures.updateOne({}, { dueAt: HOUR_AGO }); // the end of the lease
  startProcess('heir', () => slow.promise);
  await waitFor('the heir', () => batches.length === 7);
  const taken = await stored();
  hang.resolve();
  await hanging.stop();
  expect(await stored()).toEqual(taken);
  slow.resolve();
  await waitFor('the end of the erasure', async () => !(await stored()));
  expect(batches).toEqual([
    ...[null, 1, 2].map((after) => ['stopping', 'first', after]),
    ...[null, 1].map((after) => ['stopping', 'second', after]),
    ['hanging', 'second', 2],
    ['heir', 'second', 2],
  ]);
});
