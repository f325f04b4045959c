import { Errors } from 'moleculer';
import {
  InternalError,
  NotFound,
  Problem,
  type ProblemType,
  Unavailable,
} from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { FlowHasNoVersion } from '../../../services/flows/flows.problems.ts';
import { InputRefused, TooManyStarts } from '../../../services/runs/runs.problems.ts';
import type { LeasedSchedule } from '../../../services/triggers/schedules/scheduler/leased-schedules.ts';
import {
  type StartRun,
  startOccurrence,
} from '../../../services/triggers/schedules/scheduler/start-occurrence.ts';

const at = new Date('2026-01-31T09:30:00.000Z');
const schedule: LeasedSchedule = {
  _id: 7,
  workspaceId: 1,
  flowId: 2,
  cron: '30 * * * *',
  timeZone: 'UTC',
  input: '{}',
  configuration: null,
  misfire: 'SKIP',
  overlap: 'SKIP',
  enabled: true,
  createdBy: { type: 'person', id: 3, name: 'Ada' },
  createdAt: at,
  updatedAt: at,
  revision: 1,
  shareOwner: 'person:3',
  nextOccurrence: at,
  dueAt: new Date('2026-01-31T09:30:15.000Z'),
  lease: 'lease',
};

const start = (startRun: StartRun, attempts = 0) =>
  startOccurrence({ ...schedule, attempts }, at, startRun);
const failing =
  (error: Error): StartRun =>
  () =>
    Promise.reject(error);
const problem = (type: ProblemType) => new Problem(type, 'a sentence');

test('a start names its occurrence, the schedule, and the time from which it is too late', async () => {
  const startRun = jest.fn<ReturnType<StartRun>, Parameters<StartRun>>(async () => ({
    outcome: 'STARTED',
    runId: 9,
    createdAt: at.toISOString(),
  }));
  expect(await start(startRun)).toEqual({
    kind: 'over',
    last: { at, outcome: 'STARTED', runId: 9 },
    decidedAt: at,
  });
  expect(startRun.mock.calls[0]?.[0]).toMatchObject({
    startKey: 'schedule/7/2026-01-31T09:30:00.000Z',
    startedBy: { type: 'system', id: 7, name: 'schedule' },
    skipsOverlap: true,
    notAfter: '2026-01-31T09:30:12.000Z',
  });
});

test.each([FlowHasNoVersion, InputRefused, QuotaReached])(
  '$code ends the occurrence',
  async (type) => {
    expect(await start(failing(problem(type)))).toMatchObject({
      kind: 'over',
      last: { outcome: 'REFUSED', code: type.code, detail: 'a sentence' },
    });
  },
);

test.each([
  ['an outage', problem(Unavailable)],
  ['an unknown service', new Errors.ServiceNotFoundError({ action: 'runs.startTriggered' })],
  ['a full queue', problem(TooManyStarts)],
])('%s is waited for, however often', async (_name, error) => {
  for (const attempts of [0, 5, 1_000]) {
    const end = await start(failing(error), attempts);
    expect(end).toEqual({ kind: 'postponed', backoffMs: expect.any(Number) });
    if (end.kind === 'postponed') expect(end.backoffMs).toBeLessThanOrEqual(30_000);
  }
});

test('an unknown failure is tried ten times', async () => {
  expect((await start(failing(problem(InternalError)), 9)).kind).toBe('postponed');
  expect(await start(failing(problem(InternalError)), 10)).toMatchObject({
    last: { outcome: 'REFUSED', code: 'INTERNAL_ERROR' },
  });
});

test('a flow that is gone orphans the schedule, and a late start is lost', async () => {
  expect((await start(failing(problem(NotFound)))).kind).toBe('orphaned');
  expect((await start(async () => ({ outcome: 'TOO_LATE' }))).kind).toBe('lost');
});
