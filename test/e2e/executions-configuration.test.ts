import { e2e } from '../fixtures/e2e.ts';
import { createStore, type StoreAnswer, sharedWorkspaces } from '../helpers/configurations.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { callKey } from '../helpers/runs.ts';
import { createWorkflow, execute, type WorkflowStep } from '../helpers/workflows.ts';

const TOKEN = 'canary-0815-secret';
/** The property that no answer about an execution shows. */
const KEPT = 'kept-with-the-execution';

const { api } = e2e();

const world = sharedWorkspaces();
let store: StoreAnswer;
let credentialId: number;
let apiDescriptionId: number;

beforeAll(async () => {
  credentialId = await createCredential(TOKEN);
  apiDescriptionId = await create('/api-descriptions', {
    name: 'Orders',
    description: '',
    url: `${api.url}/ok/orders`,
    methodType: 'GET',
    authCredentialId: await createCredential('of-the-description'),
  });
  const { owner, workspaceId, flowId } = world;
  store = await createStore(owner, workspaceId, {
    properties: [{ key: 'region', value: KEPT }],
    flowCredentialPairs: [{ flowId, sourceAuthCredentialId: credentialId }],
  });
});

async function create(path: string, more: object): Promise<number> {
  const { owner, workspaceId } = world;
  const body = { workspaceId, ...more };
  const answer = await owner.call<{ id: number }>('POST', path, { body });
  if (answer.status > 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer.body.id;
}

const createCredential = (token: string) =>
  create('/auth-credentials', {
    name: 'Shop',
    authType: 'BEARER',
    allowedOrigins: [api.url],
    secret: { token },
  });
const newWorkflow = (...steps: WorkflowStep[]) =>
  createWorkflow(world.owner, world.workspaceId, steps);
const start = (workflowId: number, body: object = {}) =>
  execute(world.owner, workflowId, { query: { wait: 20_000 }, body });
const call = (credential: number | 'source' | 'destination'): WorkflowStep => ({
  key: 'ask',
  definition: { call: 'apiDescription', with: { apiDescriptionId, credential } },
});

test('an execution reads the properties of its store, and shows which store that was', async () => {
  const known = `\${ $length($properties.region) }`;
  const workflowId = await newWorkflow({ key: 'read', definition: { set: { known } } });
  const { id, externalId, updatedAt } = store;
  for (const configuration of [id, externalId]) {
    const { body, text } = await start(workflowId, { configuration });
    expect(body).toMatchObject({ output: { known: KEPT.length } });
    expect(body).toMatchObject({ configuration: { id, externalId, updatedAt } });
    expect(text).not.toContain(KEPT);
  }
});

test.each(['source', 'destination'] as const)(
  'the %s of a call is missing, with and without a store',
  async (side) => {
    const workflowId = await newWorkflow(call(side));
    for (const body of [{}, { configuration: store.id }]) {
      const { body: ended } = await start(workflowId, body);
      const { title, detail } = ended.error ?? {};
      expect([ended.status, title]).toEqual(['FAILED', 'CONFIGURATION_MISSING']);
      expect(detail).toContain(`"${side}"`);
      expect(detail).toContain('executions of workflows have no pairs of credentials');
    }
    expect(api.keysOf('/ok/orders')).toEqual([]);
  },
);

test('a call with the id of a credential sends its secret, and shows none', async () => {
  const { body, text } = await start(await newWorkflow(call(credentialId)));
  expect(body.status).toBe('SUCCESS');
  expect(api.calls.at(-1)).toMatchObject({
    path: '/ok/orders',
    headers: { authorization: `Bearer ${TOKEN}` },
    key: callKey(body.id, '/do/0/ask//1'),
  });
  expect(text).not.toContain(TOKEN);
});

test('an archived store, and one of another workspace, start nothing', async () => {
  const { owner, workspaceId, otherWorkspaceId, stranger } = world;
  const workflowId = await newWorkflow({ key: 'only', definition: { set: { a: 1 } } });
  const archived = await createStore(owner, workspaceId);
  const query = { workspaceId };
  await owner.call('PUT', `/configurations/${archived.externalId}/archive`, { query });
  const foreign = await createStore(stranger, otherWorkspaceId);
  const refuse = (configuration: number) =>
    execute<ProblemBody>(owner, workflowId, { body: { configuration } });
  const [old, other] = [await refuse(archived.id), await refuse(foreign.id)];
  expect([old.status, old.body.code]).toEqual([409, 'ARCHIVED']);
  expect([other.status, other.body.errors?.[0]?.path]).toEqual([400, 'configuration']);
  expect((await owner.call('GET', `/workflow/${workflowId}/executions`)).body).toEqual([]);
});
