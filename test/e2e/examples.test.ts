import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { createStore } from '../helpers/configurations.ts';
import { ExampleWarehouse } from '../helpers/example-warehouse.ts';
import { startWithDatabase } from '../helpers/own-database.ts';
import { createWorkspace, type Person, registerVerified } from '../helpers/people.ts';
import { createFlow, endOf, type RunAnswer, stepsOf } from '../helpers/runs.ts';
import { StoredSchedules } from '../helpers/schedules.ts';
import { stopServers, type TestServer } from '../helpers/server.ts';
import { waitFor } from '../helpers/wait.ts';

const FOLDER = join(import.meta.dirname, '../../examples');
const contentOf = (name: string) => readFileSync(join(FOLDER, `${name}.yaml`), 'utf8');
const NAMES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace('.yaml', ''));

let server: TestServer;
let database: EmbeddedMongo;
let warehouse: ExampleWarehouse;
let owner: Person;
let workspaceId: number;
let configuration: string;

beforeAll(async () => {
  [{ server, database }, warehouse] = await Promise.all([
    startWithDatabase({ OUTBOUND_ALLOW: '127.0.0.0/8' }),
    ExampleWarehouse.start(),
  ]);
  owner = await registerVerified(server.url);
  workspaceId = await createWorkspace(owner);
  const properties = [
    { key: 'warehouse', value: warehouse.url },
    { key: 'reports', value: `${warehouse.url}/reports` },
  ];
  configuration = (await createStore(owner, workspaceId, { properties })).externalId;
});
afterAll(async () => {
  await warehouse.stop();
  await stopServers();
});

const store = (name: string, change = (content: string) => content) =>
  createFlow(owner, workspaceId, change(contentOf(name)));

async function start(flowId: number, input: unknown = null): Promise<number> {
  const answer = await owner.call<RunAnswer>('POST', `/flows/${flowId}/runs`, {
    body: { input, configuration },
  });
  if (answer.status !== 202) throw new Error(`the start answered ${answer.text}`);
  return answer.body.id;
}

const runToEnd = async (flowId: number, input?: unknown) =>
  endOf(owner, await start(flowId, input));

interface Issue {
  id: number;
  title: string;
}
const issues = async () =>
  (await owner.call<Issue[]>('GET', `/workspaces/${workspaceId}/issues`)).body;

test.each(NAMES)(
  '%s begins with what it does, has no warnings and is in the table',
  async (name) => {
    const content = contentOf(name);
    expect(content).toMatch(/^# [A-Z]/);
    expect(readFileSync(join(FOLDER, 'README.md'), 'utf8')).toContain(
      `[${name}.yaml](${name}.yaml)`,
    );
    const { body } = await owner.call('POST', '/flows/validate', { body: { content } });
    expect(body).toEqual({ valid: true, faults: [], warnings: [] });
  },
);

test('poll and create raises one issue for each alarm, also after a poll that was not finished', async () => {
  const flowId = await store('poll-and-create');
  await warehouse.failNext('/alarms/1/acknowledge', 503, 1);
  const first = await runToEnd(flowId);
  expect(first).toMatchObject({
    status: 'SUCCESS',
    output: {
      handled: [{ alarm: 2, issue: expect.any(Number) }],
      later: [{ alarm: 1, because: 'HTTP_STATUS' }],
    },
  });
  const raised = await issues();
  expect(raised.map(({ title }) => title)).toEqual([
    'Alarm at shelf A1: The shelf of the cards is nearly empty',
    'Alarm at shelf B7: The lamp of the cranks is broken',
  ]);
  const second = await runToEnd(flowId);
  expect(second.output).toEqual({ handled: [{ alarm: 1, issue: raised[0]?.id }], later: [] });
  const third = await runToEnd(flowId);
  expect(third.output).toEqual({ handled: [], later: [] });
  expect((await issues()).map(({ id }) => id)).toEqual(raised.map(({ id }) => id));
});

describe('approval', () => {
  const decide = async (run: number, decision: object) => {
    const path = `/flows/runs/${run}/signals/decided`;
    expect((await owner.call('POST', path, { body: decision })).status).toBe(204);
  };

  test('goes on when a person says yes, and fails when a person says no', async () => {
    const flowId = await store('approval');
    const [yes, no] = [
      await start(flowId, { version: '2.0' }),
      await start(flowId, { version: '3' }),
    ];
    await waitFor('both questions', async () => {
      const titles = (await issues()).map(({ title }) => title);
      return ['2.0', '3'].every((one) => titles.includes(`May the release ${one} go out?`));
    });
    await decide(yes, { approved: true, by: 'Grace' });
    await decide(no, { approved: false, by: 'Alan' });
    expect(await endOf(owner, yes)).toMatchObject({
      status: 'SUCCESS',
      output: { version: '2.0', approvedBy: 'Grace' },
    });
    expect(await endOf(owner, no)).toMatchObject({
      status: 'FAILED',
      error: { status: 409, title: 'Not approved', detail: 'Alan said no to the release 3.' },
    });
  });

  test('fails when nobody answers in time', async () => {
    const flowId = await store('approval', (content) => content.replace('P2D', 'PT0.2S'));
    expect(await runToEnd(flowId, { version: '4' })).toMatchObject({
      status: 'FAILED',
      error: { status: 408, title: 'Nobody decided' },
    });
  });
});

describe('retry and compensate', () => {
  const order = { order: 7, sku: 'gear', pieces: 2, country: 'DE' };
  const gears = async () => (await warehouse.get<{ pieces: number }>('/stock/gear')).pieces;
  let flowId: number;
  beforeAll(async () => {
    flowId = await store('retry-and-compensate');
  });

  test('ships when a busy warehouse has been asked often enough', async () => {
    await warehouse.failNext('/shipments', 503, 2);
    const before = await gears();
    const run = await runToEnd(flowId, order);
    expect(run).toMatchObject({ status: 'SUCCESS', output: { shipment: 'S-7' } });
    const attempts = (await stepsOf(owner, run.id)).filter(({ name }) => name === 'ship');
    expect(attempts.map(({ status }) => status)).toEqual(['FAILED', 'FAILED', 'SUCCESS']);
    expect(await gears()).toBe(before - 2);
  });

  test('takes the reservation back when the order cannot be shipped', async () => {
    const before = await gears();
    const run = await runToEnd(flowId, { ...order, country: 'AQ' });
    expect(run).toMatchObject({
      status: 'FAILED',
      error: {
        status: 409,
        title: 'Not shipped',
        detail: expect.stringMatching(/422.*was released/),
      },
    });
    expect(await gears()).toBe(before);
  });

  test('undoes nothing when nothing could be reserved', async () => {
    const run = await runToEnd(flowId, { ...order, pieces: 1000 });
    expect(run).toMatchObject({ status: 'FAILED', error: { status: 409, title: 'HTTP_STATUS' } });
    const names = (await stepsOf(owner, run.id)).map(({ name }) => name);
    expect(names).not.toContain('cancel');
  });
});

describe('fan out', () => {
  test('gathers what is missing, articles that the warehouse does not know included', async () => {
    const run = await runToEnd(await store('fan-out'), { since: '2026-11-18' });
    expect(run).toMatchObject({
      status: 'SUCCESS',
      output: {
        articles: 4,
        missing: [
          { sku: 'card', pieces: 20 },
          { sku: 'crank', pieces: 1 },
        ],
      },
    });
  });

  test('fails with the branch that fails, and goes on there when it is retried', async () => {
    await warehouse.failNext('/deliveries', 500, 1);
    const run = await runToEnd(await store('fan-out'), { since: '2026-11-20' });
    expect(run).toMatchObject({ status: 'FAILED', error: { title: 'HTTP_STATUS', status: 500 } });
    const { body: retry } = await owner.call<RunAnswer>('POST', `/flows/runs/${run.id}/retry`);
    expect((await endOf(owner, retry.id)).status).toBe('SUCCESS');
  });
});

describe('the nightly report', () => {
  const today = new Date().toISOString().slice(0, 10);
  let flowId: number;

  /** Makes what the head of the file asks for. */
  beforeAll(async () => {
    const made = async <T>(path: string, body: object): Promise<T> =>
      (await owner.call<T>('POST', path, { body: { workspaceId, ...body } })).body;
    const account = await made<{ clientId: string; clientSecret: string }>('/service-accounts', {
      name: 'Report',
      role: 'GUEST',
    });
    const { clientId, clientSecret } = account;
    const credential = await made<{ id: number }>('/auth-credentials', {
      name: 'Report',
      authType: 'OAUTH2_CLIENT_CREDENTIALS',
      allowedOrigins: [server.url],
      secret: { tokenUrl: `${server.url}/auth/token`, clientId, clientSecret, scopes: [] },
    });
    const statistics = await made<{ id: number }>('/api-descriptions', {
      name: 'Statistics',
      description: '',
      methodType: 'GET',
      url: `${server.url}/flows/stats`,
      authCredentialId: credential.id,
    });
    flowId = await store('nightly-report', (content) =>
      content.replace('apiDescriptionId: 1', `apiDescriptionId: ${statistics.id}`),
    );
  });

  const reports = async () =>
    (await warehouse.get<{ reports: { day: string; text: string }[] }>('/reports')).reports;

  test('is started by its schedule, and sends the sum of the day', async () => {
    await runToEnd(await store('fan-out'), { since: '2026-11-18' });
    const { body: schedule } = await owner.call<{ id: number; nextAt: string[] }>(
      'POST',
      `/flows/${flowId}/schedules`,
      {
        body: {
          cron: '30 2 * * *',
          timeZone: 'Europe/Berlin',
          misfire: 'RUN_ONCE',
          overlap: 'SKIP',
          input: { day: today },
          configuration,
        },
      },
    );
    const stored = await StoredSchedules.connect(database.uri);
    const lastNight = new Date(Date.parse(schedule.nextAt[0] ?? '') - 86_400_000);
    await stored.makeDue([schedule.id], lastNight);
    await stored.close();
    const [sent] = await waitFor('the report', async () => {
      const found = await reports();
      return found.length > 0 && found;
    });
    expect(sent).toEqual({
      day: today,
      text: expect.stringMatching(/^[1-9]\d* runs, \d+ failed, [\d.]+ s on average$/),
      mostFrequent: expect.any(String),
    });
  });

  test('without a day is that of yesterday', async () => {
    expect((await runToEnd(flowId)).output).toEqual({ sent: '0 runs, 0 failed, 0 s on average' });
  });

  test('raises an issue when the webhook refuses it', async () => {
    await warehouse.failNext('/reports', 410, 1);
    const run = await runToEnd(flowId, { day: today });
    expect(run).toMatchObject({ status: 'FAILED', error: { status: 410, title: 'HTTP_STATUS' } });
    await waitFor('the issue', async () =>
      (await issues()).some(({ title }) => title.includes('HTTP_STATUS')),
    );
  });
});

test('the orders of the first flow are shipped, though the warehouse refuses some at first', async () => {
  await warehouse.failNext('/shipments', 503, 1);
  const flowId = await store('ship-orders', (content) =>
    content
      .replaceAll('http://127.0.0.1:4010', warehouse.url)
      .replace('{ seconds: 10 }', '{ milliseconds: 100 }'),
  );
  expect(await runToEnd(flowId, { since: '2026-11-19' })).toMatchObject({
    status: 'SUCCESS',
    output: { shipped: 2, total: 77 },
  });
});
