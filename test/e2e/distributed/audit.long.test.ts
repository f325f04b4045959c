import { randomUUID } from 'node:crypto';
import { e2e } from '../../fixtures/e2e.ts';
import { request } from '../../helpers/http.ts';
import { waitFor } from '../../helpers/wait.ts';
import { SAMPLES, type Sample } from '../operation-samples.ts';
import { type Operation, operations } from '../permissions-matrix.ts';
import { makeWorld, type World } from '../sample-world.ts';

/** The collections of a service, where they are not named like the service. */
const COLLECTIONS: Partial<Record<string, readonly string[]>> = {
  assistant: ['conversations'],
  configurations: ['configuration_stores'],
  connections: ['api_descriptions', 'auth_credentials'],
  identity: ['api_keys', 'email_domains', 'users'],
  workspaces: ['workspaces', 'members'],
};

/** The workspace that an entry belongs to. A user and an e-mail domain belong to none, a workspace to itself. */
function workspaceOf(type: string, id: number | undefined): number | null | undefined {
  if (type === 'user' || type === 'email-domain') return null;
  return type === 'workspace' ? (id ?? expect.any(Number)) : world.workspaceId;
}

const audited = operations.flatMap((operation) => {
  const { audit } = operation.contract;
  if (!audit || 'none' in audit) return [];
  return [{ operation, type: audit.resource }];
});

const { server, database } = e2e({ database: true });
let world: World;

beforeAll(async () => {
  world = await makeWorld(server.url);
});

const entriesOf = (requestId: string) =>
  database.collection('audit_entries').find({ requestId }).toArray();

type Sent = Promise<[requestId: string, resourceId: number | undefined]>;

async function sampleOf({ name }: Operation): Promise<Sample> {
  const sample = await SAMPLES[name]?.(world);
  if (!sample) throw new Error(`${name} has no sample`);
  return sample;
}

/**
 * Sends a sample, which one of `refusals` may answer besides success. Answers the request's id and the
 * resource's, where the answer shows it.
 */
async function send({ method, path }: Operation, sample: Sample, refusals: number[] = []): Sent {
  const requestId = randomUUID();
  const at = path.replaceAll(/\{(\w+)\}/g, (_all, key: string) => String(sample.path?.[key]));
  const headers = { ...sample.headers, 'x-request-id': requestId };
  const { status, body } = await request<{ id?: number } | undefined>(server.url, method, at, {
    ...sample,
    headers,
  });
  if (!refusals.includes(status)) expect(status).toBeLessThan(300);
  return [requestId, body?.id];
}

const collectionsOf = ({ name }: Operation) => {
  const [service = ''] = name.split('.');
  return (COLLECTIONS[service] ?? [service]).map((each) => database.collection(each));
};

async function waitForEmptyOutboxes(operation: Operation): Promise<void> {
  const waiting = { 'outbox.0': { $exists: true } };
  for (const collection of collectionsOf(operation)) {
    await waitFor('empty outboxes', async () => (await collection.countDocuments(waiting)) === 0);
  }
}

/** The types of the second resources that operations change, with an audit entry each. */
const CONSEQUENCES: Record<string, string> = {
  'workspaces.acceptInvitation': 'member',
  'workspaces.acceptInvitationByToken': 'member',
};

test.each(audited)('$operation.name leaves one audit entry', async ({ operation, type }) => {
  const [requestId, id] = await send(operation, await sampleOf(operation));
  await waitFor('the audit entry', async () => (await entriesOf(requestId)).length > 0);
  await waitForEmptyOutboxes(operation);
  const entries = await entriesOf(requestId);
  const isConsequence = ({ resource }: Record<string, { type: string }>) =>
    resource?.type === CONSEQUENCES[operation.name];
  expect(entries.filter(isConsequence)).toHaveLength(operation.name in CONSEQUENCES ? 1 : 0);
  expect(entries.filter((entry) => !isConsequence(entry))).toEqual([
    {
      _id: expect.any(String),
      at: expect.any(Date),
      workspaceId: workspaceOf(type, id),
      actor: expect.objectContaining({ type: expect.stringMatching(/^(person|api-key)$/) }),
      via: 'http',
      operation: operation.name,
      resource: { type, id: id ?? expect.anything() },
      changed: expect.any(Array),
      requestId,
    },
  ]);
});

/** All but the change of a password, whose repetition is refused: the former password is needed for it. */
const puts = audited.filter(
  ({ operation: { method, name } }) => method === 'PUT' && name !== 'identity.changePassword',
);

test.each(puts)('$operation.name writes nothing when it changes nothing', async ({ operation }) => {
  const sample = await sampleOf(operation);
  await send(operation, sample);
  await waitForEmptyOutboxes(operation);
  const documents = () =>
    Promise.all(collectionsOf(operation).map((each) => each.find().sort({ _id: 1 }).toArray()));
  const before = await documents();
  const [requestId] = await send(operation, sample, sample.repeated);
  expect(await documents()).toEqual(before);
  expect(await entriesOf(requestId)).toEqual([]);
});

test('a change names the fields that it changed, and no others', async () => {
  const update = audited.find(({ operation }) => operation.name === 'issues.update');
  if (!update) throw new Error('issues.update is not audited');
  const [requestId] = await send(update.operation, await sampleOf(update.operation));
  const [entry] = await waitFor('the audit entry', async () => {
    const entries = await entriesOf(requestId);
    return entries.length > 0 && entries;
  });
  expect(entry?.changed.toSorted()).toEqual(['assignedUserId', 'title']);
});
