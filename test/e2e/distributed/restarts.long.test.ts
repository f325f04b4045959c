import { e2e } from '../../fixtures/e2e.ts';

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
