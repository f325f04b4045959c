import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import mongoose, { type mongo } from 'mongoose';
import { type Lifecycle, lifecycleOf } from '../../../models/lifecycle.ts';
import { e2e } from '../../fixtures/e2e.ts';
import { invite } from '../../helpers/invitations.ts';
import {
  addMember,
  createWorkspace,
  type Person,
  registerOperator,
  registerVerified,
} from '../../helpers/people.ts';
import { createFlow, runToEnd, startRun } from '../../helpers/runs.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  createAttachment,
  createBranch,
  createConversation,
  createRecording,
  createWaitingCall,
  FLOW,
  newEmail,
  sampleEnvironment,
  unique,
  WAITING_FLOW,
} from '../sample-world.ts';

/** Leaves the raise of an issue. */
const RAISING_FLOW = 'do:\n  - raise: { call: issue, with: { title: broken } }\n';
/** The steps of a run so long that they move to a collection of their own. */
const LONG_FLOW = `do:
  - each:
      for: { in: '\${ [0..399] }', at: n }
      do:
        - one: { set: { x: 1 } }
`;
/** Milliseconds of all passes of an erasure, and as many again for a busy machine. */
const ERASURE_MS = 180_000;

const MODELS = join(import.meta.dirname, '../../../models');
const { server, database } = e2e({
  database: true,
  env: async () => ({ RATE_LIMIT: 'off', SIGN_IN_LIMIT: 'off', ...(await sampleEnvironment()) }),
});

beforeAll(async () => {
  for (const file of readdirSync(MODELS)) {
    if (file.endsWith('.model.ts')) await import(join(MODELS, file));
  }
});

const collection = (name: string) => database.collection<{ _id: number | string }>(name);
const count = (name: string, filter: object = {}) => collection(name).countDocuments(filter);

/** The collections of all models, and what each says of its documents. */
const lifecycles = (): [name: string, Lifecycle][] =>
  Object.values(mongoose.models).map((model) => [model.collection.name, lifecycleOf(model)]);

const erasureNames = () =>
  lifecycles()
    .map(([name]) => name)
    .filter((name) => name.endsWith('_erasures'));

const countErasures = async (): Promise<number> => {
  const counts = await Promise.all(erasureNames().map((name) => count(name)));
  return counts.reduce((sum, one) => sum + one, 0);
};

async function untilErased(): Promise<void> {
  await waitFor('the erasures', countErasures);
  await waitFor('the end', async () => (await countErasures()) === 0, ERASURE_MS);
}

/** The documents of all collections that match, by collection. */
async function search(matches: (document: mongo.Document) => boolean): Promise<object> {
  const found: Record<string, mongo.Document[]> = {};
  for (const { name } of await database.client.db().listCollections().toArray()) {
    const documents = (await collection(name).find().toArray()).filter(matches);
    if (documents.length) found[name] = documents;
  }
  return found;
}

/** Sends a request that must succeed. Answers the body. */
async function send<T = { id: number }>(by: Person, path: string, body: object): Promise<T> {
  const { status, body: answer, text } = await by.call<T>('POST', path, { body });
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
  return answer;
}

const createKey = (by: Person, workspaceId: number) =>
  send(by, '/api-keys', { workspaceId, name: 'made', scopes: ['issues:create'] });

const subscribe = (by: Person, workspaceId: number) =>
  send(by, `/workspaces/${workspaceId}/event-subscriptions`, {
    url: 'https://receiver.invalid/events',
    events: ['issue.created'],
  });

const schedule = (by: Person, flowId: number) =>
  send(by, `/flows/${flowId}/schedules`, {
    cron: '* * * * *',
    timeZone: 'UTC',
    misfire: 'RUN_ALL',
    overlap: 'ALLOW',
  });

/** Leaves something of the person in each collection of the workspace. */
async function use(person: Person, workspaceId: number): Promise<void> {
  await subscribe(person, workspaceId);
  await send(person, `/workspaces/${workspaceId}/issues`, {
    title: 'a',
    description: 'b',
    assignedUserId: person.id,
  });
  await createKey(person, workspaceId);
  await send(person, '/service-accounts', { workspaceId, name: unique('made') });
  expect((await invite(person, workspaceId, newEmail(), 'GUEST')).status).toBe(200);
  const { id: authCredentialId } = await send(person, '/auth-credentials', {
    workspaceId,
    name: 'made',
    authType: 'BEARER',
    allowedOrigins: ['https://api.example.com'],
    secret: { token: 'a-secret-of-the-workspace' },
  });
  const call = { url: 'https://api.example.com', methodType: 'GET', authCredentialId };
  await send(person, '/api-descriptions', { workspaceId, name: 'made', description: '', ...call });
  const properties = [{ key: 'region', value: 'eu' }];
  await send(person, '/configurations', { workspaceId, name: 'made', properties });
  const place = { owner: person, workspaceId };
  await createBranch(place);
  await createRecording(place);
  await createAttachment(place);
  await createWaitingCall(place);
  const flowId = await createFlow(person, workspaceId, FLOW);
  await runToEnd(person, flowId);
  await schedule(person, flowId);
  await send(person, `/flows/${flowId}/webhooks`, {});
  const sum = { name: 'sum', expression: '1 + 1', input: {}, expected: 2 };
  await send(person, `/flows/${flowId}/transformation-tests`, sum);
  await runToEnd(person, await createFlow(person, workspaceId, RAISING_FLOW));
  await runToEnd(person, await createFlow(person, workspaceId, LONG_FLOW));
  const waiting = await createFlow(person, workspaceId, WAITING_FLOW);
  await startRun(person, waiting);
  await send(person, `/flows/${waiting}/runs/retry`, {});
}

/** Leaves an access token of a credential, as `services/connections/oauth-tokens/` stores it. */
async function leaveAccessToken(workspaceId: number): Promise<void> {
  const expiresAt = new Date(Date.now() + 3_600_000);
  const token = { id: 'a', sealed: 'b', expiresAt, renewAt: expiresAt, keepUntil: null };
  const none = { earlier: [], lease: null, failure: null, authentication: 'basic' };
  const ids = { _id: 1, workspaceId, revision: 1, secretVersion: 1 };
  const document = { ...ids, token, ...none, removeAt: expiresAt };
  await collection('credential_tokens').insertOne(document);
}

/** Removes two members with keys. The notice of the second waits, since an OWNER gets one mail an hour. */
async function leaveNotices(owner: Person, workspaceId: number): Promise<void> {
  for (let n = 0; n < 2; n++) {
    await leaveWithKey(owner, workspaceId, await registerVerified(server.url));
  }
}

/** Makes the person a member, who creates a key and is removed. */
async function leaveWithKey(owner: Person, workspaceId: number, member: Person): Promise<void> {
  const users = `/workspaces/${workspaceId}/users`;
  const query = { userEmail: member.email };
  await owner.call('POST', users, { query: { ...query, role: 'ADMIN' } });
  await createKey(member, workspaceId);
  expect((await owner.call('DELETE', users, { query })).status).toBe(204);
}

/** Creates things in the workspace, one after another, until the service refuses all or is gone. */
async function writeUntilRefused(owner: Person, workspaceId: number): Promise<void> {
  const flowId = await createFlow(owner, workspaceId, FLOW);
  const attempts = [
    () => send(owner, `/workspaces/${workspaceId}/issues`, { title: 'a', description: '' }),
    () => createFlow(owner, workspaceId, FLOW),
    () => send(owner, `/flows/${flowId}/runs`, {}),
    () => schedule(owner, flowId),
    () => send(owner, `/flows/${flowId}/webhooks`, {}),
    () => subscribe(owner, workspaceId),
    () => createKey(owner, workspaceId),
    () => send(owner, '/auth-credentials', { workspaceId, name: 'late', authType: 'NONE' }),
    () => send(owner, '/configurations', { workspaceId, name: 'late' }),
    () => createBranch({ owner, workspaceId }),
    () => createRecording({ owner, workspaceId }),
    () => createConversation({ owner, workspaceId }),
    () => createAttachment({ owner, workspaceId }),
    () => send(owner, '/service-accounts', { workspaceId, name: unique('late') }),
    () => send(owner, '/workspaces/invitations', { workspaceId, email: newEmail(), role: 'GUEST' }),
    () => addMember(server.url, owner, workspaceId, 'GUEST'),
  ];
  const repeat = async (attempt: () => Promise<unknown>): Promise<void> => {
    for (;;) await attempt();
  };
  await Promise.allSettled(attempts.flatMap((attempt) => [repeat(attempt), repeat(attempt)]));
}

/** The documents of the workspace in a collection; null where the collection keeps documents. */
function filterOf(lifecycle: Lifecycle, workspaceId: number): object | null {
  const { workspace: rule } = lifecycle;
  if ('keep' in rule) return null;
  if ('clear' in rule) return { [rule.clear]: workspaceId };
  // Parts name no workspace. No other workspace exists yet.
  return 'remove' in rule ? { [rule.remove]: workspaceId } : {};
}

test('a deletion during writes that kill -9 interrupts leaves nothing but its audit entry', async () => {
  const owner = await registerVerified(server.url);
  const id = await createWorkspace(owner);
  await use(owner, id);
  await addMember(server.url, owner, id, 'GUEST');
  await leaveNotices(owner, id);
  await leaveAccessToken(id);
  const operator = await registerOperator(server.url);
  await send(operator, '/email-domains', { domain: 'joined.example', autoJoinWorkspaceId: id });
  const concerned = lifecycles().flatMap(([name, lifecycle]) => {
    const filter = filterOf(lifecycle, id);
    return filter ? [{ name, filter }] : [];
  });
  expect(concerned.length).toBeGreaterThan(10);
  for (const { name, filter } of concerned) {
    await waitFor(`a document in ${name}`, () => count(name, filter));
  }
  const issues = await count('issues');
  const writes = writeUntilRefused(owner, id);
  await waitFor('issues of the writers', async () => (await count('issues')) > issues + 5);
  expect((await owner.call('DELETE', `/workspaces/${id}`)).status).toBe(204);
  await server.kill();
  await writes;
  await server.restart();
  await untilErased();
  const removals = [expect.objectContaining({ operation: 'workspaces.remove' })];
  expect(await search((document) => document.workspaceId === id)).toEqual({
    audit_entries: removals,
  });
  for (const { name, filter } of concerned) {
    expect([name, await count(name, filter)]).toEqual([name, name === 'audit_entries' ? 1 : 0]);
  }
  expect(await count('workspaces')).toBe(0);
  expect(await count('email_domains')).toBe(1);
}, 300_000);
