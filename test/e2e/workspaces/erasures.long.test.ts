import type { mongo } from 'mongoose';
import { e2e } from '../../fixtures/e2e.ts';
import { addMember, createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { createFlow, startRun } from '../../helpers/runs.ts';
import { waitFor } from '../../helpers/wait.ts';
import { createBranch, createRecording, FLOW } from '../sample-world.ts';

/** The services that store documents of a workspace, by the names of their collections. */
const SERVICES = [
  'identity',
  'workspaces',
  'issues',
  'flows',
  'workflows',
  'dev_mode',
  'runs',
  'recordings',
];
/** The parts of a name and of an address that occur nowhere else. */
const CANARY = 'Zanzibar';

const { server, database } = e2e({ database: true });

const collection = (name: string) => database.collection<{ _id: number | string }>(name);

/** Makes a workspace of the person with something in each service; answers its id. */
async function plant(owner: Person): Promise<number> {
  const id = await createWorkspace(owner);
  await owner.call('POST', `/workspaces/${id}/issues`, { body: { title: 'a', description: 'b' } });
  const body = { workspaceId: id, name: 'made' };
  await owner.call('POST', '/api-keys', { body: { ...body, scopes: ['issues:create'] } });
  await owner.call('POST', '/service-accounts', { body });
  await createBranch({ owner, workspaceId: id });
  await createRecording({ owner, workspaceId: id });
  const flowId = await createFlow(owner, id, FLOW);
  expect((await startRun(owner, flowId, { wait: 5_000 })).status).toBe(200);
  return id;
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

const hasErasures = async (): Promise<boolean> => {
  const counts = SERVICES.map((name) => collection(`${name}_erasures`).countDocuments());
  return (await Promise.all(counts)).some((count) => count > 0);
};

test('a deletion that kill -9 interrupts leaves nothing but its audit entry', async () => {
  const owner = await registerVerified(server.url);
  const id = await plant(owner);
  await addMember(server.url, owner, id, 'GUEST');
  expect(await collection('flow_versions').countDocuments()).toBe(1);
  expect(await collection('recording_batches').countDocuments()).toBe(1);
  expect((await owner.call('DELETE', `/workspaces/${id}`)).status).toBe(204);
  await server.kill();
  await server.restart();
  await waitFor('the erasures', hasErasures);
  await waitFor('the end of the erasures', async () => !(await hasErasures()), 100_000);
  const left = await search((document) => document.workspaceId === id);
  expect(left).toEqual({
    audit_entries: [expect.objectContaining({ operation: 'workspaces.remove' })],
  });
  // These name their workspace by a flow, or a run, alone; no other workspace exists yet.
  for (const name of ['flow_versions', 'run_steps', 'workspaces']) {
    expect(await collection(name).find().toArray()).toEqual([]);
  }
});

test('the erasure of a person leaves no name in any service', async () => {
  const person = await registerVerified(server.url, CANARY);
  await plant(person);
  const at = new Date();
  for (const service of SERVICES) {
    await collection(`${service}_erasures`).insertOne({
      _id: `person/${person.id}`,
      kind: 'person',
      targetId: person.id,
      addresses: [person.email],
      requestedAt: at,
      pass: 0,
      step: null,
      after: null,
      dueAt: at,
      lease: null,
      failures: 0,
    } as never);
  }
  const withName = () =>
    search((document) => JSON.stringify(document).toLowerCase().includes(CANARY.toLowerCase()));
  await waitFor('the end of the erasures', async () => !(await hasErasures()), 100_000);
  // The deletion itself takes the person's own document away.
  expect(Object.keys(await withName())).toEqual(['users']);
});
