import type { ProblemBody } from '../helpers/http.ts';
import { type Person, register } from '../helpers/people.ts';
import { startServer, stopServers, type TestServer } from '../helpers/server.ts';

type QuotaProblem = ProblemBody & { quota: string; limit: number };

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    env: { WORKSPACES_PER_PERSON: '3', PUBLIC_URL: 'http://service.test' },
  });
}, 60_000);
afterAll(stopServers);

const create = (person: Person) =>
  person.call<{ id: number } & QuotaProblem>('POST', '/workspaces', { query: { name: 'Mine' } });
const createAtOnce = (person: Person, many: number) =>
  Promise.all(Array.from({ length: many }, () => create(person)));
const workspacesOf = async (person: Person) =>
  (await person.call<{ id: number }[]>('GET', '/workspaces')).body.length;

it('of many creations at once exactly as many succeed as the quota allows', async () => {
  const ada = await register(server.url);
  const answers = await createAtOnce(ada, 20);
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(3);
  expect(statuses.filter((status) => status === 409)).toHaveLength(17);
  expect(await workspacesOf(ada)).toBe(3);
});

it('names the quota and its size', async () => {
  const ada = await register(server.url);
  await createAtOnce(ada, 3);
  const { status, headers, body } = await create(ada);
  expect([status, headers['content-type']]).toEqual([409, 'application/problem+json']);
  expect(body).toMatchObject({
    type: 'urn:problem:quota-reached',
    code: 'QUOTA_REACHED',
    detail: 'A person may make 3 workspaces at most.',
    quota: 'WORKSPACES_PER_PERSON',
    limit: 3,
  });
  const eve = await register(server.url, 'Eve');
  expect((await create(eve)).status).toBe(201);
});
