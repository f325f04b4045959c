import {
  type ShareOwnerSources,
  ShareOwners,
} from '../../../services/share-owners/share-owners.ts';

const ownersOf = (sources: Partial<ShareOwnerSources> = {}) => {
  const asked: string[] = [];
  const owners = new ShareOwners({
    async ofWorkspace(workspaceId) {
      asked.push(`workspace ${workspaceId}`);
      return workspaceId === 8 ? 'unverified' : 'person:1';
    },
    async ofPerson(userId) {
      asked.push(`person ${userId}`);
      return `person:${userId}`;
    },
    ...sources,
  });
  return { owners, asked };
};
const person = { kind: 'person', userId: 3, name: 'Ada', sessionId: 's' } as const;
const key = { kind: 'api-key', keyId: 5, name: 'key', workspaceId: 7, scopes: [] } as const;

test('work in a workspace goes on its owner’s account, work without one on its caller’s', async () => {
  const { owners } = ownersOf();
  const inWorkspace = { owner: 'person:1', tenant: 'workspace:7' };
  expect(await owners.ofWorkspace(7)).toEqual(inWorkspace);
  expect(await owners.ofWorkspace(8)).toEqual({ owner: 'unverified', tenant: 'workspace:8' });
  expect(await owners.ofCaller(person)).toEqual({ owner: 'person:3', tenant: 'person:3' });
  expect(await owners.ofCaller(key)).toEqual(inWorkspace);
  expect(await owners.ofCaller({ kind: 'run', runId: 1, workspaceId: 7 })).toEqual(inWorkspace);
  const account = { kind: 'service-account', accountId: 2, name: 'robot', workspaceId: 7 } as const;
  expect(await owners.ofCaller(account)).toEqual(inWorkspace);
  const system = { owner: 'system', tenant: 'system' };
  expect(await owners.ofCaller({ kind: 'system', service: 'flows' })).toEqual(system);
});

test('an owner is asked for once, and again after somebody was verified', async () => {
  const { owners, asked } = ownersOf();
  for (let n = 0; n < 3; n++) await owners.ofWorkspace(7);
  for (let n = 0; n < 3; n++) await owners.ofCaller(person);
  expect(asked).toEqual(['workspace 7', 'person 3']);
  owners.drop();
  await owners.ofWorkspace(7);
  expect(asked).toHaveLength(3);
});

test('where nobody can be asked, the work is done on one account, and asked again after a while', async () => {
  jest.useFakeTimers();
  let isAway = true;
  let asked = 0;
  const { owners } = ownersOf({
    async ofWorkspace() {
      asked++;
      if (isAway) throw new Error('away');
      return 'person:1';
    },
  });
  for (let n = 0; n < 3; n++) expect((await owners.ofWorkspace(7)).owner).toBe('unknown');
  expect(asked).toBe(1);
  isAway = false;
  jest.advanceTimersByTime(5_000);
  expect((await owners.ofWorkspace(7)).owner).toBe('person:1');
  jest.useRealTimers();
});

test('a lookup that fails makes no other owner unknown', async () => {
  const { owners } = ownersOf({
    async ofPerson() {
      throw new Error('away');
    },
  });
  expect((await owners.ofCaller(person)).owner).toBe('unknown');
  expect((await owners.ofWorkspace(7)).owner).toBe('person:1');
});
