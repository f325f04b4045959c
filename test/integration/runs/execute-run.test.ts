import { setTimeout as sleep } from 'node:timers/promises';
import { Errors } from 'moleculer';
import { pino } from 'pino';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { RunModel } from '../../../models/run.model.ts';
import { RunStepModel } from '../../../models/run-step.model.ts';
import { WorkerModel } from '../../../models/worker.model.ts';
import { cancelRun } from '../../../services/runs/cancel-run.ts';
import { executeRun } from '../../../services/runs/engine/execution/execute-run.ts';
import { Job } from '../../../services/runs/engine/execution/job.ts';
import { endOverdueRuns } from '../../../services/runs/engine/lease/overdue-runs.ts';
import { listSteps } from '../../../services/runs/steps.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  callsTo,
  claimedJob,
  endOf,
  errorOf,
  handOver,
  onRunsDatabase,
  queueRun,
  runOf,
  type Send,
  silentListeners,
  toolsOf,
  untilAborted,
  workerOf,
} from './engine.ts';

const { started } = onRunsDatabase();
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});
const DAY_MS = 24 * 60 * 60 * 1_000;

const endAndErrorOf = async ({ run }: Job) => {
  const { status, error } = await runOf(run.doc._id);
  return [status, error && JSON.parse(error).title];
};

test.each([
  ['a version that is gone', undefined, 'VERSION_UNUSABLE'],
  ['a defect of the engine', () => Promise.reject(new TypeError('a bug')), 'INTERNAL_ERROR'],
])('%s ends the run', async (_, planOf, title) => {
  const job = await claimedJob();
  await executeRun(job, toolsOf(planOf ? { planOf } : {}));
  expect(await endAndErrorOf(job)).toEqual(['FAILED', title]);
});

const planOf = () =>
  Promise.reject(
    new Errors.ServiceNotAvailableError({ action: 'flows.versionForRun', nodeID: 'n' }),
  );

test('a service that is away puts the run off, for longer each time until the run gets on', async () => {
  const postpone = async (job: Job): Promise<number> => {
    const before = databaseClock.now();
    expect((await executeRun(job, toolsOf({ planOf }))).kind).toBe('waiting');
    const { wakeAt, worker, status } = await runOf(job.run.doc._id);
    expect([worker, status]).toEqual([undefined, 'RUNNING']);
    return Number(wakeAt) - before;
  };
  const again = async ({ run }: Job, change = {}): Promise<Job> => {
    const { _id } = run.doc;
    await RunModel.updateOne({ _id }, { $set: { worker: 'me', ...change }, $unset: { wakeAt: 1 } });
    return new Job(await runOf(_id), 'me', () => true);
  };
  let job = await claimedJob();
  for (const ms of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000]) {
    expect(await postpone(job)).toBeGreaterThanOrEqual(ms);
    job = await again(job);
  }
  const deadlineAt = new Date(Date.now() + 3_000);
  job = await again(job, { deadlineAt });
  await postpone(job);
  expect((await runOf(job.run.doc._id)).wakeAt).toEqual(deadlineAt);
  job = await again(job, { entries: 1 });
  await postpone(job);
  expect((await runOf(job.run.doc._id)).backoff).toEqual({ entries: 1, times: 1 });
});

test('a run that cannot go on and whose time is over ends', async () => {
  const job = await claimedJob({ deadlineAt: new Date(databaseClock.now() - 1) });
  expect((await executeRun(job, toolsOf({ planOf }))).kind).toBe('ended');
  expect((await runOf(job.run.doc._id)).status).toBe('TIMED_OUT');
});

test('a run with a deadline beyond the longest timer of Node is interrupted at its deadline', async () => {
  const deadline = databaseClock.now() + 30 * DAY_MS;
  const job = await claimedJob({ deadlineAt: new Date(deadline) });
  const interrupt = jest.spyOn(job, 'interrupt');
  const plan = Promise.withResolvers<null>();
  jest.useFakeTimers({ now: Date.now(), doNotFake: ['nextTick', 'queueMicrotask', 'performance'] });
  const following = executeRun(job, toolsOf({ planOf: () => plan.promise }));
  const now = jest.spyOn(databaseClock, 'now').mockReturnValue(deadline - 5 * DAY_MS);
  jest.advanceTimersByTime(25 * DAY_MS);
  expect(interrupt).not.toHaveBeenCalled();
  now.mockReturnValue(deadline + 1_000);
  jest.advanceTimersByTime(5 * DAY_MS + 1_000);
  expect(interrupt.mock.calls).toEqual([['overdue']]);
  now.mockRestore();
  jest.useRealTimers();
  plan.resolve(null);
  await following;
});

test('a call that a cancel interrupts is shown as failed, one that goes on elsewhere is not', async () => {
  let calls = 0;
  const send: Send = ({ signal }) => {
    calls++;
    return untilAborted(signal);
  };
  const run = await queueRun();
  const { _id } = run;
  const first = workerOf({ plan: callsTo('/a'), send });
  await first.start();
  await waitFor('the call', () => calls === 1);
  await first.stop();
  const failed = (await listSteps({ runId: _id, limit: 10 })).items.filter(({ error }) => error);
  expect(failed).toEqual([]);
  const worker = await started(workerOf({ plan: callsTo('/a'), send }));
  await waitFor('the call again', () => calls === 2);
  await cancelRun(run, changeContext(), {
    ...silentListeners,
    onRequested: (id) => worker.cancel(id),
  });
  await endOf(run, 'CANCELLED');
  const { items } = await listSteps({ runId: _id, limit: 10 });
  expect(items).toMatchObject([
    { name: 'call0', status: 'FAILED', error: { title: 'CANCELLED', instance: '/do/0/call0' } },
  ]);
});

test('a cancelled run whose worker is dead is ended by another', async () => {
  const job = await claimedJob();
  await started(workerOf({ plan: callsTo() })); // sweeps orphans only every 5 s
  const asked = await cancelRun(job.run.doc, changeContext(), silentListeners);
  expect(asked.status).toBe('RUNNING');
  await endOf(job.run.doc, 'CANCELLED');
});

test('a run whose news was lost gets its turn while others wait', async () => {
  for (let n = 0; n < 40; n++) await queueRun({ workspaceId: 1 + (n % 2) });
  const send = () => sleep(300, null);
  await started(workerOf({ plan: callsTo('/a'), concurrency: 2, send }));
  await waitFor('first runs', () => RunModel.exists({ status: 'SUCCESS' }));
  const { _id } = await queueRun({ workspaceId: 3 });
  await waitFor('its turn', async () => (await runOf(_id)).startedAt);
  expect(await RunModel.countDocuments({ ready: true })).toBeGreaterThan(0);
});

test('a run that its worker holds without working on it is given back', async () => {
  await started(workerOf({ plan: callsTo('/a') }));
  await endOf(await queueRun(), 'SUCCESS');
  const name = (await WorkerModel.findOne().orFail())._id;
  const job = await claimedJob({ worker: name });
  await endOf(job.run.doc, 'SUCCESS');
});

test('a run whose end cannot be written is told of, and given back', async () => {
  const job = await claimedJob();
  const logged: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
  const broken = jest.spyOn(job.run, 'end').mockRejectedValue(new Error('cannot be written'));
  const following = await executeRun(job, toolsOf({ plan: callsTo('/a'), logger }));
  expect([following.kind, broken.mock.calls.length]).toEqual(['released', 2]);
  expect(logged.join('')).toContain('A run could not be given back');
});

test('a run past its deadline that nobody works on is ended', async () => {
  const hour = 3_600_000;
  const past = { status: 'RUNNING', deadlineAt: new Date(Date.now() - hour) } as const;
  const forgotten = await queueRun(past);
  const held = await queueRun({ ...past, worker: 'another' });
  const timely = await queueRun({ ...past, deadlineAt: new Date(Date.now() + hour) });
  expect(await endOverdueRuns()).toEqual([forgotten._id]);
  const ended = await endOf(forgotten, 'TIMED_OUT');
  expect(errorOf(ended)).toMatchObject({ title: 'RUN_TIMEOUT' });
  for (const { _id } of [held, timely])
    expect(await runOf(_id)).toMatchObject({ status: 'RUNNING', error: null });
});

test('a long journal is moved on, and nothing in it is done again', async () => {
  const paths = Array.from({ length: 70 }, (_, n) => (n === 50 ? '/held' : `/${n}`));
  const run = await queueRun();
  const { _id } = run;
  const isShort = async () => expect((await runOf(_id)).journal.length).toBeLessThanOrEqual(34);
  const sent = await handOver(run, { plan: callsTo(...paths) }, undefined, isShort);
  expect(sent.length).toBe(71);
  expect(new Set(sent).size).toBe(70);
  await endOf(run, 'SUCCESS');

  const { items } = await listSteps({ runId: _id, limit: 1000 });
  expect(items.map(({ name }) => name)).toEqual(paths.map((_, n) => `call${n}`));
  expect(await RunStepModel.countDocuments()).toBeGreaterThan(90);
  await isShort();
});
