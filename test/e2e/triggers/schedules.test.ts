import { e2e, type Refusable, type Result } from '../../fixtures/e2e.ts';

const { owner: ada, workspace } = e2e();

let flowId: number;

const COPY = `do:
  - copy: { set: { got: '\${ $input }' } }
`;

beforeAll(async () => {
  flowId = await workspace.flow(COPY);
});

type ScheduleAnswer = Result<'triggers.createSchedule'>;
const DAILY = { cron: '0 6 * * *', timeZone: 'Europe/Berlin', misfire: 'SKIP', overlap: 'ALLOW' };

const create = (body: object, flow = flowId) =>
  ada.call<Refusable<ScheduleAnswer>>('POST', `/flows/${flow}/schedules`, { body });
const update = (id: number, body: object) =>
  ada.call<Refusable<ScheduleAnswer>>('PUT', `/flows/schedules/${id}`, { body });
const list = async (flow = flowId) =>
  (await ada.call<ScheduleAnswer[]>('GET', `/flows/${flow}/schedules`)).body;

test('a schedule shows its next five times, and what GET answered can be sent back', async () => {
  const { status, body: made } = await create({ ...DAILY, input: { b: 1, a: [null] } });
  expect(status).toBe(201);
  expect(made).toMatchObject({
    flowId,
    ...DAILY,
    input: { b: 1, a: [null] },
    configuration: null,
    enabled: true,
    createdBy: { type: 'person', id: ada.id },
  });
  expect(made.nextAt).toHaveLength(5);
  const shown = (await list()).find(({ id }) => id === made.id);
  expect(shown).toEqual(made);
  expect(await update(made.id, made)).toMatchObject({ status: 200, body: made });
  const off = await update(made.id, { enabled: false });
  expect(off.body).toMatchObject({ enabled: false, nextAt: [] });
  expect((await ada.call('DELETE', `/flows/schedules/${made.id}`)).status).toBe(204);
  expect((await update(made.id, {})).status).toBe(404);
});

test.each([
  ['cron', '0 0 30 2 *', 'never comes'],
  ['cron', '* * * * * *', 'must have 5 fields'],
  ['cron', '@daily', 'must have 5 fields'],
  ['cron', '61 * * * *', 'is not a cron line: invalid value for minute: 61'],
  ['cron', `${'1,'.repeat(200)}1 * * * *`, 'must have at most 200 characters'],
  ['timeZone', 'Europe/Atlantis', 'must be the name of a time zone'],
  ['timeZone', '+02:00', 'must be the name of a time zone'],
  ['misfire', 'NEVER', 'must be one of SKIP, RUN_ONCE, RUN_ALL'],
  ['configuration', 'nowhere', 'is neither the id nor the external id'],
  ['input', 'x'.repeat(65_536), 'must have at most 65536 bytes'],
])('refuses %s %j', async (field, value, message) => {
  const { status, body } = await create({ ...DAILY, [field]: value });
  expect([status, body.errors?.[0]?.path]).toEqual([400, field]);
  expect(body.errors?.[0]?.message).toContain(message);
});

test('the schedule of a deleted flow is no more as soon as the deletion is answered', async () => {
  const doomed = await workspace.flow(COPY);
  const { body: made } = await create(DAILY, doomed);
  expect((await ada.call('DELETE', `/flows/${doomed}`)).status).toBe(204);
  expect((await update(made.id, { enabled: false })).status).toBe(404);
});
