jest.mock('../../../support/periodic-work.ts', () => jest.requireActual('./frequent-work.ts'));

import { pino } from 'pino';
import { databaseCommand } from '../../../mixins/database/commands.ts';
import { RunModel } from '../../../models/run.model.ts';
import { Admission } from '../../../services/runs/engine/admission/admission.ts';
import { MemoryBudget } from '../../../services/runs/engine/admission/memory-budget.ts';
import { Slots } from '../../../services/runs/engine/admission/slots.ts';
import { claimFilterOf } from '../../../services/runs/engine/claims/claim-commands.ts';
import { RunClaimer } from '../../../services/runs/engine/claims/run-claimer.ts';
import { UnmatchedRuns } from '../../../services/runs/engine/claims/unmatched-runs.ts';
import { takeOverRuns } from '../../../services/runs/engine/lease/takeover.ts';
import { runsUnmatched } from '../../../services/runs/runs.diagnostics.ts';
import { listStuckRuns } from '../../../services/runs/stuck/list-stuck-runs.ts';
import { countDiagnosticEvents } from '../../../telemetry/metrics.ts';
import { waitFor } from '../../helpers/wait.ts';
import { callsTo, endOf, onRunsDatabase, queueRun, runOf, workerOf } from './engine.ts';

const { started } = onRunsDatabase();

const registry = countDiagnosticEvents();
const METRIC = 'flow_runs_unmatched';
const metric = async () =>
  Number(new RegExp(`^${METRIC} (\\d+)$`, 'm').exec(await registry.metrics())?.[1]);

const MINUTE_AGO = new Date(Date.now() - 60_000);

/** A queued run whose `readyAt` is null, which is neither missing nor a time. */
async function queueDamagedRun(workspaceId = 1) {
  const run = await queueRun({ createdAt: MINUTE_AGO, workspaceId });
  await RunModel.collection.updateOne({ _id: run._id as never }, { $set: { readyAt: null } });
  return run;
}

test('a ready run that no claim matches is logged once and counted until it is mended, and the console says why', async () => {
  const { _id, shareOwner, workspaceId } = await queueDamagedRun();
  const logged: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  await started(workerOf({ plan: callsTo('/a'), logger }));
  const healthy = await queueRun();
  await waitFor('the metric', async () => (await metric()) === 1);

  let polls = 0;
  const stop = runsUnmatched.subscribe(({ runs }) => {
    polls += runs;
  });
  await waitFor('further polls', async () => polls > 4);
  stop();
  const lines = logged.map((line) => JSON.parse(line));
  expect(lines).toEqual([
    expect.objectContaining({
      msg: 'Ready runs match no claim: they never begin',
      count: 1,
      runIds: [_id],
      filters: [{ ready: true, shareOwner, workspaceId, readyAt: { $exists: false } }],
    }),
  ]);
  expect((await listStuckRuns({ limit: 10 })).runs).toEqual([
    expect.objectContaining({
      id: _id,
      since: MINUTE_AGO.toISOString(),
      reason: 'it matches no claim; readyAt is null, where claims ask for {"$exists":false}',
    }),
  ]);
  await waitFor('the end of the other run', async () => (await runOf(healthy._id)).completedAt);

  await RunModel.updateOne({ _id }, { $unset: { readyAt: 1 } });
  await waitFor('the end of the mended run', async () => (await runOf(_id)).completedAt);
  await waitFor('the metric', async () => (await metric()) === 0);
});

test('a run whose offer of a permit was lost begins by the sweep of permits', async () => {
  await started(workerOf({ plan: callsTo('/a') }));
  const run = await queueRun({ concurrency: 1, permitRequestedAt: new Date() });
  await endOf(run, 'SUCCESS');
});

test('a run whose workspace is no number is told of, and holds up no other', async () => {
  const { _id } = await queueRun({ createdAt: MINUTE_AGO });
  await RunModel.collection.updateOne({ _id: _id as never }, { $set: { workspaceId: 'x' } });
  await started(workerOf({ plan: callsTo('/a') }));
  await waitFor('the metric', async () => (await metric()) === 1);
  await endOf(await queueRun({ fence: 1, readyAt: new Date() }), 'SUCCESS');
  await endOf(await queueRun({ workspaceId: 2 }), 'SUCCESS');
  expect((await listStuckRuns({ limit: 10 })).runs).toEqual([
    expect.objectContaining({ id: _id, reason: expect.stringContaining('workspaceId is "x"') }),
  ]);
});

describe('claims of ready runs', () => {
  const warn = jest.fn();
  /** A clock by which no claim is late, however slow the machine is. */
  let clockMs = 0;
  const claimerOf = (unmatched: UnmatchedRuns) =>
    new RunClaimer({
      worker: () => 'me',
      admission: new Admission({
        slots: new Slots({ concurrency: 1_000 }),
        memory: new MemoryBudget(),
      }),
      unmatched,
      now: () => clockMs++,
    });

  it('find the runs that none of them matches also among many ready runs', async () => {
    for (let n = 1; n <= 60; n++) await queueDamagedRun(n % 3);
    const unmatched = new UnmatchedRuns({ warn });
    const claimer = claimerOf(unmatched);
    await waitFor('two lists', async () => {
      claimer.invalidateReadyList();
      expect(await claimer.claimNext()).toEqual([]);
      await unmatched.report();
      return warn.mock.calls.length > 0;
    });
    expect(warn.mock.calls[0][0].count).toBeGreaterThan(20);
    expect(warn.mock.calls[0][0].runIds).toHaveLength(20);
  });

  it('cost no command more for the report while each is matched', async () => {
    for (let n = 0; n < 10; n++) await queueRun();
    const unmatched = new UnmatchedRuns({ warn });
    const claimer = claimerOf(unmatched);
    while ((await claimer.claimNext()).length);
    let commands = 0;
    const stop = databaseCommand.subscribe(() => commands++);
    await unmatched.report();
    stop();
    expect(commands).toBe(0);
  });
});

describe('no run counts as one that no claim matches', () => {
  const changes: [name: string, change: (id: number) => Promise<unknown>][] = [
    ['that another worker has claimed', claimElsewhere],
    [
      'that is ready again, after another worker',
      (id) => claimElsewhere(id).then(releaseElsewhere),
    ],
    ['that is cancelled', (_id) => RunModel.updateOne({ _id }, { $unset: { ready: 1 } })],
    ['of an erased workspace', (_id) => RunModel.deleteOne({ _id })],
  ];
  async function claimElsewhere(_id: number): Promise<void> {
    await RunModel.updateOne(
      { _id },
      { $set: { worker: 'other' }, $unset: { ready: 1, readyAt: 1 } },
    );
  }
  const releaseElsewhere = () => takeOverRuns('other');

  const list = () => RunModel.find({ ready: true }).lean();
  async function miss(unmatched: UnmatchedRuns): Promise<void> {
    const runs = await list();
    unmatched.noteList(runs);
    for (const run of runs) unmatched.noteMiss([run], claimFilterOf(run, 'new'));
  }
  async function report(unmatched: UnmatchedRuns): Promise<number> {
    let reported = -1;
    const stop = runsUnmatched.subscribe(({ runs }) => {
      reported = runs;
    });
    await unmatched.report();
    stop();
    return reported;
  }

  it.each(
    changes.flatMap(([name, change]) => [
      [name, 'between two lists', change] as const,
      [name, 'after the second list', change] as const,
    ]),
  )('%s %s', async (_, when, change) => {
    const isLate = when === 'after the second list';
    const unmatched = new UnmatchedRuns({ warn: jest.fn() });
    const { _id } = await queueRun();
    await miss(unmatched);
    if (!isLate) await change(_id);
    await miss(unmatched);
    expect(await report(unmatched)).toBe(isLate ? 1 : 0);
    if (isLate) await change(_id);
    expect(await report(unmatched)).toBe(0);
  });

  it('that is missed twice after one list', async () => {
    const unmatched = new UnmatchedRuns({ warn: jest.fn() });
    const run = await queueRun();
    await miss(unmatched);
    unmatched.noteMiss([run], {});
    expect(await report(unmatched)).toBe(0);
  });
});
