import { request } from '../../helpers/http.ts';
import { type Person, register } from '../../helpers/people.ts';
import { startServer, stopServers, type TestServer } from '../../helpers/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    env: { WORKSPACES_PER_PERSON: '3', PUBLIC_URL: 'http://service.test' },
  });
});
afterAll(stopServers);

const create = (person: Person) =>
  person.call<{ id: number }>('POST', '/workspaces', { query: { name: 'Mine' } });
const createAtOnce = (person: Person, many: number) =>
  Promise.all(Array.from({ length: many }, () => create(person)));

async function restart(env: Record<string, string>): Promise<void> {
  await server.stop();
  await server.restart({ ...env });
}

it('a session goes on after a restart of the service: the keys are kept', async () => {
  const { token } = await register(server.url);
  await restart({});
  const { status } = await request(server.url, 'GET', '/auth/me', { token });
  expect(status).toBe(200);
});

it('a quota counts the workspaces that were made while there was none', async () => {
  const ada = await register(server.url);
  await create(ada);
  await restart({ WORKSPACES_PER_PERSON: 'off' });
  expect((await createAtOnce(ada, 6)).map(({ status }) => status)).toEqual(Array(6).fill(201));
  await restart({ WORKSPACES_PER_PERSON: '9' });
  const statuses = (await createAtOnce(ada, 6)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(2);
  expect((await ada.call<unknown[]>('GET', '/workspaces')).body).toHaveLength(9);
});
