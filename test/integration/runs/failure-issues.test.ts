import { ServiceBroker, type ServiceSchema } from 'moleculer';
import { Problem, Unavailable } from '../../../contract/problem.ts';
import { Changes } from '../../../mixins/changes/changes.ts';
import type { RunDocument } from '../../../models/run.model.ts';
import { cancelRun } from '../../../services/runs/cancel-run.ts';
import { type LeasedRun, NO_ENTRIES } from '../../../services/runs/engine/lease/leased-run.ts';
import { endOverdueRuns } from '../../../services/runs/engine/lease/overdue-runs.ts';
import { runOutboxes } from '../../../services/runs/runs.outboxes.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  batchOf,
  CLAIMED,
  newExecution,
  newRun,
  onRunsDatabase,
  queueRun,
  runOf,
  silentListeners,
  storeClaimed,
} from './engine.ts';
import { FailingWrites } from './failing-writes.ts';

onRunsDatabase();
afterEach(() => jest.restoreAllMocks());

const ERROR = {
  type: 'https://example.com/errors/stock',
  status: 409,
  title: 'OUT_OF_STOCK',
  detail: 'none left\u0000',
  instance: '/do/0/raise',
};
const FAILED = { status: 'FAILED', error: ERROR } as const;
const onFailure = { assignedUserId: 5 };

/** A run that this worker holds. */
const held = (fields: Partial<RunDocument> = {}, make = newRun) =>
  storeClaimed(make({ ...CLAIMED, onFailure, ...fields }));
const outboxOf = async ({ doc }: Pick<LeasedRun, 'doc'>) => (await runOf(doc._id)).outbox ?? [];
/** The params of the call in the outbox of a run. */
async function paramsIn(run: LeasedRun): Promise<Record<string, string>> {
  const [entry] = await outboxOf(run);
  return (entry && 'params' in entry ? entry.params : {}) as Record<string, string>;
}

test('the end of a failed run has the issue in its outbox, without control characters', async () => {
  const run = await held({ flowId: 7, workspaceId: 3 });
  await run.end(FAILED, batchOf('a'));
  const { _id } = run.doc;
  expect(await outboxOf(run)).toMatchObject([
    {
      call: 'issues.raiseForFailures',
      params: {
        workspaceId: 3,
        runId: _id,
        description: expect.stringMatching(/none left $/),
        assignedUserId: 5,
        fingerprint: JSON.stringify([7, '/do/0/raise', ERROR.type, 'OUT_OF_STOCK']),
      },
    },
  ]);
  expect((await runOf(_id)).journal).toHaveLength(1);
});

test('a long title is cut to what the title of an issue may have', async () => {
  const run = await held({ flowName: 'f'.repeat(200) });
  await run.end({ ...FAILED, error: { ...ERROR, title: `${'t'.repeat(95)}\nmore` } }, NO_ENTRIES);
  const { title } = await paramsIn(run);
  expect(title).toMatch(/^f{89}… failed: t{89}…$/);
});

test('a long description is cut, and a long fingerprint is replaced, since many entries share a message', async () => {
  const paramsOf = async (type: string) => {
    const run = await held({ flowId: 7 });
    await run.end({ ...FAILED, error: { ...ERROR, type, detail: '😀'.repeat(2_000) } }, NO_ENTRIES);
    return paramsIn(run);
  };
  const long = `https://example.com/${'x'.repeat(2_000)}`;
  const [one, other] = [await paramsOf(`${long}1`), await paramsOf(`${long}2`)];
  expect(one.description).toHaveLength(2_000);
  expect(one.description?.isWellFormed()).toBe(true);
  expect(one.fingerprint).toHaveLength(43);
  expect(one.fingerprint).not.toBe(other.fingerprint);
});

test.each([
  ['the answer is lost', { kind: 'lost answer' }],
  ['the command is lost', { kind: 'lost command' }],
] as const)('the issue is in the outbox once where %s', async (_, fault) => {
  const run = await held();
  const writes = new FailingWrites([fault]);
  await run.end(FAILED, batchOf('a'));
  expect(writes).toBeDefined();
  expect(await outboxOf(run)).toHaveLength(1);
});

test.each([
  ['was cancelled', { cancelRequestedAt: new Date() }, newRun],
  ['is an execution', {}, newExecution],
])('a run that %s raises none', async (_, fields, make) => {
  const run = await held(fields, make);
  await ('cancelRequestedAt' in fields ? run.endCancelled() : run.end(FAILED, NO_ENTRIES));
  expect(await outboxOf(run)).toEqual([]);
});

test('a run that nobody holds raises one when it times out, and none when it is cancelled', async () => {
  const waits = { status: 'WAITING', onFailure, wakeAt: new Date(Date.now() + 3_600_000) } as const;
  const overdue = await queueRun({ ...waits, deadlineAt: new Date(Date.now() - 3_600_000) });
  const cancelled = await queueRun(waits);
  expect(await endOverdueRuns()).toEqual([overdue._id]);
  await cancelRun(cancelled, changeContext({ audit: { none: 'a test' } }), silentListeners);
  expect(await outboxOf({ doc: overdue })).toMatchObject([
    { params: { title: 'flow failed: RUN_TIMEOUT' } },
  ]);
  expect(await outboxOf({ doc: cancelled })).toEqual([]);
});

test('an entry that issues does not take waits, and is handed over later', async () => {
  const raised: number[][] = [];
  const broker = new ServiceBroker({ logger: false });
  broker.createService({ name: 'runs', mixins: [Changes(runOutboxes) as ServiceSchema] });
  broker.createService({
    name: 'issues',
    actions: {
      raiseForFailures(ctx) {
        const { entries } = ctx.params as { entries: { runId: number }[] };
        raised.push(entries.map(({ runId }) => runId));
        if (raised.length === 1) throw new Problem(Unavailable, 'away');
        return null;
      },
    },
  });
  await broker.start();
  try {
    const run = await held();
    await run.end(FAILED, NO_ENTRIES);
    const isEmpty = async () => (await outboxOf(run)).length === 0;
    await waitFor('the sweep', isEmpty, 30_000);
    expect(raised).toEqual([[run.doc._id], [run.doc._id]]);
  } finally {
    await broker.stop();
  }
});
