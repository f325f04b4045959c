import type { Plan } from '@workspace-automation/flow-language';
import type { ShareOwner } from '../../../support/fair-shares/share.ts';
import { waitFor } from '../../helpers/wait.ts';
import { endOf, onRunsDatabase, queueRun, runOf, shareOf, waitOf, workerOf } from './engine.ts';

const { started } = onRunsDatabase();

const HEAVY = 1;
const LIGHT = 2;

const pause = (at: number) =>
  ({ kind: 'wait', name: `rest${at}`, path: `/do/${at}/rest${at}`, durationMs: 0 }) as const;
const pauses = (count: number): Plan => ({
  ...waitOf(0),
  tasks: Array.from({ length: count }, (_, at) => pause(at)),
});
/** Jumps back until the run has no rounds left. */
const endless: Plan = {
  ...waitOf(0),
  tasks: [
    pause(0),
    // biome-ignore lint/suspicious/noThenProperty: the flow directive of a task
    { ...pause(1), then: 'rest0' },
  ],
};

async function chargesOf(plan: Plan): Promise<number> {
  const charges = new Map<ShareOwner, number>();
  const worker = workerOf({
    plan,
    charge: (owner, ms) => charges.set(owner, (charges.get(owner) ?? 0) + ms),
  });
  const { _id } = await queueRun({ workspaceId: HEAVY });
  await started(worker);
  await endOf({ _id }, 'SUCCESS');
  await worker.stop();
  expect([...charges.keys()]).toEqual([shareOf(HEAVY).owner]);
  return charges.get(shareOf(HEAVY).owner) ?? 0;
}

test('a run is charged to its owner by its tasks and journal entries', async () => {
  const few = await chargesOf(pauses(1));
  const many = await chargesOf(pauses(41));
  expect(few).toBeLessThan(3); // of 500 that count
  expect((many - few) / few).toBeGreaterThan(3);
});

test('loops of an owner above level 0 go on when a loop of level 0 leaves them a turn', async () => {
  const worker = workerOf({
    plan: endless,
    levelOf: (owner) => (owner === shareOf(HEAVY).owner ? 3 : 0),
  });
  await started(worker);
  const heavy = [await queueRun({ workspaceId: HEAVY }), await queueRun({ workspaceId: HEAVY })];
  worker.wake();
  const entriesOf = async (id: number) => (await runOf(id)).entries;
  const heavyEntries = async () =>
    (await Promise.all(heavy.map(({ _id }) => entriesOf(_id)))).reduce((sum, n) => sum + n, 0);
  await waitFor('the loops', async () => (await heavyEntries()) > 0);
  const { _id } = await queueRun({ workspaceId: LIGHT });
  worker.wake();
  await waitFor('the other loop', async () => (await entriesOf(_id)) > 0, 20_000);
  const before = await heavyEntries();
  await waitFor('its entries', async () => (await entriesOf(_id)) > 2_000, 20_000);
  expect((await heavyEntries()) - before).toBeLessThan(1_000);
  for (const run of [...heavy, { _id }]) worker.cancel(run._id);
  await endOf({ _id }, 'CANCELLED');
});
