import type { JournalEntry } from '../../../models/journal-entry.ts';
import { RunStepModel } from '../../../models/run-step.model.ts';
import { journalBytesOf } from '../../../services/runs/quotas/run-bytes.ts';
import { callsTo, endOf, onRunsDatabase, queueRun, runOf, waitOf, workerOf } from './engine.ts';

const { started } = onRunsDatabase();

it('a run knows what its journal takes, wherever its entries are, and what its result takes', async () => {
  const [before, rest, after] = [callsTo(...Array(40).fill('/a')), waitOf(300), callsTo('/b')];
  const plan = { ...before, tasks: [...before.tasks, ...rest.tasks.slice(0, 1), ...after.tasks] };
  const { _id } = await queueRun();
  await started(workerOf({ plan, send: async () => ({ text: 'é'.repeat(2_000) }) }));
  await endOf({ _id }, 'SUCCESS');
  const run = await runOf(_id);
  const moved = await RunStepModel.find().lean<JournalEntry[]>();
  expect(moved.length).toBeGreaterThan(40);
  expect(run.journalBytes).toBe(journalBytesOf([...moved, ...run.journal]));
  expect(run.journalBytes).toBeGreaterThan(40 * 4_000);
  expect(run.resultBytes).toBe(Buffer.byteLength(run.output ?? ''));
});
