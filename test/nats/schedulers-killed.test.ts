import { e2e } from '../fixtures/e2e.ts';
import { StoredSchedules } from '../helpers/schedules.ts';
import { servicesExcept } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

const SCHEDULES = 60;
/** Missed occurrences of each schedule, one a minute. */
const MISSED = 20;
const MINUTE_MS = 60_000;

const {
  server: system,
  owner,
  workspace,
} = e2e({
  processes: ['api', servicesExcept('api', 'triggers'), 'triggers', 'triggers', 'triggers'],
});
let stored: StoredSchedules;
let ids: number[];

beforeAll(async () => {
  stored = await StoredSchedules.connect(system.uri);
  const flowId = await workspace.flow('do:\n  - one: { set: { x: 1 } }\n');
  ids = await Promise.all(Array.from({ length: SCHEDULES }, () => create(flowId)));
});
afterAll(() => stored.close());

async function create(flowId: number): Promise<number> {
  const terms = { cron: '* * * * *', timeZone: 'UTC', misfire: 'RUN_ALL', overlap: 'ALLOW' };
  const { status, body } = await owner.call<{ id: number }>('POST', `/flows/${flowId}/schedules`, {
    body: terms,
  });
  expect(status).toBe(201);
  return body.id;
}

const startKeys = async (): Promise<string[]> => {
  const runs = stored.client.db().collection<{ startKey: string }>('runs');
  const found = await runs.find({}, { projection: { startKey: 1 } }).toArray();
  return found.map(({ startKey }) => startKey);
};
const startsOver = (count: number) =>
  waitFor(`${count} starts`, async () => (await startKeys()).length > count);

/** The occurrences from the first on that are over: those before the schedule's next one. */
const overOf = (from: Date, next: Date): string[] =>
  Array.from({ length: (next.getTime() - from.getTime()) / MINUTE_MS }, (_, n) =>
    new Date(from.getTime() + n * MINUTE_MS).toISOString(),
  );

test('of three schedulers one stands still and one is killed, and each occurrence starts one run', async () => {
  const [stopped] = system.processesOf('triggers').slice(-1);
  const from = new Date(Math.floor(Date.now() / MINUTE_MS - MISSED) * MINUTE_MS);
  await stored.makeDue(ids, from);
  await startsOver(100);
  stopped?.signal('SIGSTOP');
  await startsOver(250);
  await system.remove('triggers', 'SIGKILL');
  const readAll = () => stored.collection.find({ _id: { $in: ids } }).toArray();
  await waitFor('an end of what is due', async () =>
    (await readAll()).every(({ nextOccurrence = from }) => nextOccurrence > new Date()),
  );
  const before = new Map((await readAll()).map(({ _id, nextOccurrence }) => [_id, nextOccurrence]));
  stopped?.signal('SIGCONT');
  const [first = 0] = ids;
  // The process that stood still takes part again: two of three schedulers are left, and either may have the next minute.
  await waitFor(
    'the next minute',
    async () => {
      const { nextOccurrence = from } = (await stored.find(first)) ?? {};
      return nextOccurrence > (before.get(first) ?? from);
    },
    90_000,
  );
  const schedules = await readAll();
  const keys = await startKeys();
  expect(new Set(keys).size).toBe(keys.length);
  for (const { _id, nextOccurrence = from } of schedules) {
    expect(nextOccurrence.getTime()).toBeGreaterThanOrEqual(before.get(_id)?.getTime() ?? 0);
    const prefix = `schedule/${_id}/`;
    const started = keys
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
    // An occurrence that was just started may not be written as over.
    const over = overOf(from, nextOccurrence);
    expect(started.sort().slice(0, over.length)).toEqual(over);
    expect(started.length - over.length).toBeLessThanOrEqual(1);
  }
}, 240_000);
