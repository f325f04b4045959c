import { Cable } from '../helpers/cable.ts';
import { type Answer, type ProblemBody, request } from '../helpers/http.ts';
import { TestNats } from '../helpers/nats.ts';
import { createWorkspace, type Person, register } from '../helpers/people.ts';
import { type ServiceProcess, startProcess } from '../helpers/process.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { CORE, SPREAD, startDatabase, untilReady } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

type Readiness = ProblemBody & { dependencies: Record<string, string> };

const dataDir = dataFolder();
let nats: TestNats;
let databasePort: number;
let parts: ServiceProcess[];
let url: string;

beforeAll(async () => {
  nats = await TestNats.notYet();
  const reserved = await startDatabase(dataDir);
  databasePort = Number(new URL(reserved.uri).port);
  await reserved.stop();
  parts = SPREAD.map((services) =>
    startProcess({
      DATA_DIR: dataDir,
      MONGODB_URI: reserved.uri,
      NATS_URL: nats.url,
      SERVICES: services,
    }),
  );
  url = (await parts[0]?.listening) ?? '';
});
afterAll(stopServers);

const ready = (): Promise<Answer<Readiness>> => request<Readiness>(url, 'GET', '/health/ready');
const stateOf = async (name: string) => (await ready()).body.dependencies[name];
/** As long as no heartbeat has to be missed for it. */
const SOON_MS = 8_000;

/** The same system all along: what one test leaves is where the next begins. */
describe('a system whose parts come late, go away and come back', () => {
  let owner: Person;
  let issues: string;

  it('says what is missing, and answers 503 with Retry-After meanwhile', async () => {
    const { status, headers, body } = await ready();
    expect([status, body.code]).toEqual([503, 'NOT_READY']);
    expect(headers['retry-after']).toBe('1');
    for (const name of ['database', 'nats', 'issues']) {
      expect(body.detail).toContain(name);
      expect(body.dependencies[name]).toBe('down');
    }
    expect(body.dependencies.api).toBe('up');
    expect((await request(url, 'GET', '/health/live')).status).toBe(200);
    const answer = await request<ProblemBody>(url, 'POST', '/auth/sign-in', {
      body: { email: 'ada@example.com', password: 'x' },
    });
    expect([answer.status, answer.body.code]).toEqual([503, 'UNAVAILABLE']);
    expect(answer.headers['retry-after']).toBe('1');
  });

  it('goes on when NATS comes; nobody asks for what takes the database', async () => {
    await nats.start();
    await waitFor('NATS', async () => (await stateOf('nats')) === 'up');
    const { body } = await ready();
    expect(body.dependencies).toMatchObject({ database: 'down', api: 'up', issues: 'down' });
    const answer = await request<ProblemBody>(url, 'POST', '/auth/sign-in', {
      body: { email: 'ada@example.com', password: 'x' },
    });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
  });

  it('is ready when the database has come', async () => {
    await startDatabase(dataDir, databasePort);
    await untilReady(url);
    owner = await register(url);
    issues = `/workspaces/${await createWorkspace(owner)}/issues`;
    const body = { title: 'Late', description: '' };
    expect((await owner.call('POST', issues, { body })).status).toBe(201);
  });

  it('answers 503 while NATS is away and goes on by itself', async () => {
    await nats.kill();
    await waitFor('the news', async () => (await stateOf('nats')) === 'down');
    const { status, headers } = await owner.call('GET', issues);
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    await nats.start();
    await waitFor('an answer', async () => (await owner.call('GET', issues)).status === 200);
  });

  it('knows that NATS does not answer, though the connection is there', async () => {
    nats.signal('SIGSTOP');
    try {
      await waitFor('the news', async () => (await stateOf('nats')) === 'down');
    } finally {
      nats.signal('SIGCONT');
    }
    await untilReady(url);
  });

  it('refuses with 413 what would be too large for NATS, and its connections hold', async () => {
    const body = { workspaceId: 1, name: 'x', description: 'x'.repeat(1000 * 1024) };
    const answer = await owner.call<ProblemBody>('POST', '/flows', { body });
    expect([answer.status, answer.body.code]).toEqual([413, 'BODY_TOO_LARGE']);
    expect((await owner.call('GET', issues)).status).toBe(200);
  });

  it('loses no request when a process is asked to leave', async () => {
    const statuses = new Set<number>();
    let stopping = true;
    const client = async () => {
      while (stopping) {
        statuses.add((await owner.call('GET', issues)).status);
        const body = { title: 'Steady', description: '' };
        statuses.add((await owner.call('POST', issues, { body })).status);
      }
    };
    const clients = [client(), client(), client()];
    parts[1]?.signal('SIGTERM');
    expect(await parts[1]?.exited).toBe(0);
    stopping = false;
    await Promise.all(clients);
    expect(statuses).toEqual(new Set([200, 201]));
  });

  it('asks no process that has lost its database, or not got it yet', async () => {
    const cable = new Cable(databasePort);
    await cable.mend();
    await cable.cut();
    const part = startProcess({
      DATA_DIR: dataDir,
      MONGODB_URI: `mongodb://127.0.0.1:${cable.port}/?directConnection=true`,
      NATS_URL: nats.url,
      SERVICES: CORE,
      LOG_LEVEL: 'debug',
    });
    await waitFor('its start', () => part.output().includes('started successfully'));
    expect(part.output()).not.toContain('ready for calls');
    for (let n = 0; n < 30; n++) expect((await owner.call('GET', issues)).status).toBe(200);

    await cable.mend();
    parts[2]?.signal('SIGTERM'); // the other one of its kind
    expect(await parts[2]?.exited).toBe(0);
    await part.ready;
    await untilReady(url);
    expect((await owner.call('GET', issues)).status).toBe(200);

    await cable.cut();
    await waitFor('its leaving', async () => (await stateOf('issues')) === 'down');
    const refused = await owner.call('GET', issues);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    await cable.mend();
    await untilReady(url);
    expect((await owner.call('GET', issues)).status).toBe(200);
    part.signal('SIGTERM');
    expect(await part.exited).toBe(0);
    await cable.cut();
  });

  it('reports a service whose processes have died before a heartbeat is missed', async () => {
    for (const part of parts.slice(3)) part.signal('SIGKILL');
    await waitFor('the news', async () => (await stateOf('flows')) === 'down', SOON_MS);
  });
});
