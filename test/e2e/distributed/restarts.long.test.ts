import { setTimeout as sleep } from 'node:timers/promises';
import { e2e } from '../../fixtures/e2e.ts';
import { freePort } from '../../helpers/free-port.ts';
import { request } from '../../helpers/http.ts';
import { register } from '../../helpers/people.ts';
import { TestServer } from '../../helpers/server.ts';

const { server, owner } = e2e({ env: { WORKSPACES_PER_PERSON: '3' } });

const create = () => owner.call('POST', '/workspaces', { query: { name: 'Mine' } });
const createAtOnce = (many: number) => Promise.all(Array.from({ length: many }, create));

async function restart(env: Record<string, string> = {}): Promise<void> {
  await server.stop();
  await server.restart(env);
}

it('a session goes on after a restart of the service: the keys are kept', async () => {
  await restart();
  expect((await owner.call('GET', '/auth/me')).status).toBe(200);
});

it('a quota counts the workspaces that were made while there was none', async () => {
  await create();
  await restart({ WORKSPACES_PER_PERSON: 'off' });
  expect((await createAtOnce(6)).map(({ status }) => status)).toEqual(Array(6).fill(201));
  await restart({ WORKSPACES_PER_PERSON: '9' });
  const statuses = (await createAtOnce(6)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(2);
  expect((await owner.call<unknown[]>('GET', '/workspaces')).body).toHaveLength(9);
});

/** Asks without a pause, also before the port is open. */
async function untilReady(url: string): Promise<void> {
  const isReady = async () =>
    (await request(url, 'GET', '/health/ready').catch(() => null))?.status === 200;
  while (!(await isReady())) await sleep(5);
}

/** Five processes a start take their time. */
const STARTS = process.env.TEST_NATS === '1' ? [1] : [1, 2, 3];

it.each(STARTS)(
  'the first request after `GET /health/ready` is 200 is answered: fresh start %i',
  async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const another = new TestServer({ env: { PORT: String(port) } });
    const starting = another.start();
    await untilReady(url);
    const person = await register(url); // throws unless 201
    await starting;
    await another.stop();

    const again = another.restart();
    await untilReady(url);
    expect((await person.call('GET', '/workspaces')).status).toBe(200);
    await again;
    await another.stop();
  },
);
