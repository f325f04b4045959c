import { Registry } from 'prom-client';
import { type ScheduleDocument, ScheduleModel } from '../../../models/schedule.model.ts';
import {
  findDueSince,
  listScheduleStates,
} from '../../../services/triggers/schedules/schedule-states.ts';
import {
  occurrenceEnded,
  occurrencesDropped,
} from '../../../services/triggers/triggers.diagnostics.ts';
import { countOccurrences, gaugeDueSchedules } from '../../../telemetry/schedule-metrics.ts';
import { useEmptyDatabase } from '../../helpers/database.ts';

useEmptyDatabase([ScheduleModel]);

const inMs = (ms: number): Date => new Date(Date.now() + ms);
const MINUTE_MS = 60_000;

async function store(_id: number, fields: Partial<ScheduleDocument> = {}): Promise<void> {
  const at = inMs(-MINUTE_MS);
  await ScheduleModel.create({
    _id,
    workspaceId: 1,
    flowId: 7,
    cron: '* * * * *',
    timeZone: 'UTC',
    input: 'null',
    configuration: null,
    misfire: 'SKIP',
    overlap: 'ALLOW',
    enabled: true,
    createdBy: { type: 'person', id: 1, name: 'Ada' },
    createdAt: at,
    shareOwner: 'person:1',
    revision: 1,
    updatedAt: at,
    ...fields,
  });
}
const list = async (params: Partial<Parameters<typeof listScheduleStates>[0]> = {}) =>
  (await listScheduleStates({ late: false, limit: 100, ...params })).schedules;
const idsOf = (schedules: readonly { id: number }[]) => schedules.map(({ id }) => id);

test('operators see the schedules of all workspaces, of one, or of one flow, the newest first', async () => {
  await store(1);
  await store(2, { workspaceId: 2 });
  await store(3, { flowId: 8 });
  await store(4, { removedAt: new Date() });
  expect(idsOf(await list())).toEqual([3, 2, 1]);
  expect(idsOf(await list({ workspaceId: 1 }))).toEqual([3, 1]);
  expect(idsOf(await list({ flowId: 8, limit: 1 }))).toEqual([3]);
});

test('a schedule has its next and its last occurrence', async () => {
  const [at, next] = [inMs(-MINUTE_MS), inMs(MINUTE_MS)];
  await store(1, {
    nextOccurrence: next,
    dueAt: next,
    lastOccurrence: { at, outcome: 'REFUSED', code: 'QUOTA_REACHED', detail: 'full' },
  });
  await store(2, { enabled: false });
  expect(await list()).toMatchObject([
    { id: 2, enabled: false, nextAt: null, last: null },
    {
      id: 1,
      nextAt: next.toISOString(),
      attempts: 0,
      last: { at: at.toISOString(), outcome: 'REFUSED', runId: null, code: 'QUOTA_REACHED' },
    },
  ]);
});

test('late are those whose occurrence should have begun, also while a lease or a backoff postpones it', async () => {
  await store(1, { nextOccurrence: inMs(-MINUTE_MS), dueAt: inMs(20_000), attempts: 3 });
  await store(2, { nextOccurrence: inMs(-2 * MINUTE_MS), dueAt: inMs(-2 * MINUTE_MS) });
  await store(3, { nextOccurrence: inMs(MINUTE_MS), dueAt: inMs(MINUTE_MS) });
  await store(4, { enabled: false });
  expect(idsOf(await list({ late: true }))).toEqual([2, 1]);
});

test('metrics tell for how long a start is overdue, also while a lease or a backoff postpones it', async () => {
  const registry = new Registry();
  gaugeDueSchedules(registry, findDueSince);
  const ages = async () => {
    const [due, overdue] = await registry.getMetricsAsJSON();
    return { due: due?.values[0]?.value, overdue: overdue?.values[0]?.value };
  };
  expect(await ages()).toEqual({ due: 0, overdue: 0 });
  await store(1, { nextOccurrence: inMs(-MINUTE_MS), dueAt: inMs(20_000), attempts: 3 });
  const { due, overdue } = await ages();
  expect(due).toBe(0);
  expect(overdue).toBeGreaterThanOrEqual(60);
});

test('the schedules that are late are read by an index, however many are not', async () => {
  for (let id = 1; id <= 30; id++) await store(id, { nextOccurrence: inMs(MINUTE_MS) });
  await store(31, { nextOccurrence: inMs(-MINUTE_MS) });
  const late = { nextOccurrence: { $lte: new Date() } };
  const plan = await ScheduleModel.collection.find(late).sort({ nextOccurrence: 1 }).explain();
  expect(plan).toMatchObject({ executionStats: { totalDocsExamined: 1 } });
});

test('metrics tell for how long a schedule has been due, and how occurrences ended', async () => {
  const registry = new Registry();
  countOccurrences([registry]);
  gaugeDueSchedules(registry, findDueSince);
  const sampleOf = async (series: string) => {
    const lines = (await registry.metrics()).split('\n');
    const line = lines.find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  };
  expect(await sampleOf('schedule_due_age_seconds')).toBe(0);
  await store(1, { nextOccurrence: inMs(-MINUTE_MS), dueAt: inMs(-MINUTE_MS) });
  expect(await sampleOf('schedule_due_age_seconds')).toBeGreaterThanOrEqual(60);

  occurrenceEnded.publish({ outcome: 'STARTED', lateMs: 400 });
  occurrenceEnded.publish({ outcome: 'STARTED', lateMs: -5 });
  occurrenceEnded.publish({ outcome: 'OVERLAPPED', lateMs: 90_000 });
  occurrenceEnded.publish({ outcome: 'REFUSED', lateMs: 0, code: 'QUOTA_REACHED' });
  occurrencesDropped.publish({ scheduleId: 1 });
  for (const [outcome, count] of Object.entries({
    started: 2,
    'skipped-overlap': 1,
    refused: 1,
  })) {
    expect(await sampleOf(`schedule_occurrences_total{outcome="${outcome}"}`)).toBe(count);
  }
  expect(await sampleOf('schedule_misfires_total')).toBe(1);
  expect(await sampleOf('schedule_lateness_seconds_count')).toBe(2);
  expect(await sampleOf('schedule_lateness_seconds_bucket{le="0.5"}')).toBe(2);
});
