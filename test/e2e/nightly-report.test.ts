import { e2e } from '../fixtures/e2e.ts';
import { ExampleWorld } from '../helpers/examples.ts';
import { StoredSchedules } from '../helpers/schedules.ts';
import { waitFor } from '../helpers/wait.ts';

const { server, database } = e2e({ database: true, env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });

let world: ExampleWorld;
beforeAll(async () => {
  world = await ExampleWorld.make(server.url);
});
afterAll(async () => {
  await world.warehouse.stop();
});

describe('the nightly report', () => {
  const today = new Date().toISOString().slice(0, 10);
  let flowId: number;

  /** Makes what the head of the file asks for. */
  beforeAll(async () => {
    const made = async <T>(path: string, body: object): Promise<T> =>
      (
        await world.owner.call<T>('POST', path, {
          body: { workspaceId: world.workspaceId, ...body },
        })
      ).body;
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
    flowId = await world.store('nightly-report', (content) =>
      content.replace('apiDescriptionId: 1', `apiDescriptionId: ${statistics.id}`),
    );
  });

  const reports = async () =>
    (await world.warehouse.get<{ reports: { day: string; text: string }[] }>('/reports')).reports;

  test('is started by its schedule, and sends the sum of the day', async () => {
    await world.runToEnd(await world.store('fan-out'), { since: '2026-11-18' });
    const { body: schedule } = await world.owner.call<{ id: number; nextAt: string[] }>(
      'POST',
      `/flows/${flowId}/schedules`,
      {
        body: {
          cron: '30 2 * * *',
          timeZone: 'Europe/Berlin',
          misfire: 'RUN_ONCE',
          overlap: 'SKIP',
          input: { day: today },
          configuration: world.configuration,
        },
      },
    );
    const stored = new StoredSchedules(database);
    const lastNight = new Date(Date.parse(schedule.nextAt[0] ?? '') - 86_400_000);
    await stored.makeDue([schedule.id], lastNight);
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
    expect((await world.runToEnd(flowId)).output).toEqual({
      sent: '0 runs, 0 failed, 0 s on average',
    });
  });

  test('raises an issue when the webhook refuses it', async () => {
    await world.warehouse.failNext('/reports', 410, 1);
    const run = await world.runToEnd(flowId, { day: today });
    expect(run).toMatchObject({ status: 'FAILED', error: { status: 410, title: 'HTTP_STATUS' } });
    await waitFor('the issue', async () =>
      (await world.issues()).some(({ title }) => title.includes('HTTP_STATUS')),
    );
  });
});
