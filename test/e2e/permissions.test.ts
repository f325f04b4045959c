import { ROLES, type Role } from '../../contract/access-rule.ts';
import { e2e } from '../fixtures/e2e.ts';
import { type ProblemBody, type RequestOptions, request } from '../helpers/http.ts';
import { fileForm } from '../helpers/multipart.ts';
import { type Person, registerOperator } from '../helpers/people.ts';
import { waitFor } from '../helpers/wait.ts';
import { permissionRows } from './permission-rows.ts';
import { type CallerTraits, expectedAnswer } from './permissions/expected-answer.ts';
import { type Operation, operations } from './permissions-matrix.ts';
import {
  createAttachment,
  createRecording,
  SCHEDULE,
  sampleEnvironment,
  targetOf,
} from './sample-world.ts';

const off = {
  RATE_LIMIT: 'off',
  SIGN_IN_LIMIT: 'off',
  EVENT_SUBSCRIPTIONS_PER_WORKSPACE: 'off',
};
const {
  server,
  owner: OWNER,
  stranger: outsider,
  workspace,
} = e2e({ env: async () => ({ ...off, ...(await sampleEnvironment()) }) });

let workspaceId: number;
const people = { OWNER, outsider } as Record<Role | 'outsider', Person>;
beforeAll(async () => {
  workspaceId = workspace.id;
  for (const role of ROLES) people[role] ??= await workspace.member(role);
});

async function make(
  path: string,
  body: object,
  person = people.OWNER,
): Promise<Record<string, unknown>> {
  const answer = await person.call<Record<string, unknown>>('POST', path, { body });
  if (answer.status >= 300) throw new Error(`POST ${path} answered ${answer.status}`);
  return answer.body;
}
const FLOW = `document: {dsl: '1.0.0', namespace: test, name: test, version: '1.0.0'}
do:
  - first: {set: {a: 1}}
`;
let flows = 0;
let invitees = 0;
async function newFlow(): Promise<unknown> {
  return (await make('/flows', { workspaceId, name: `Flow ${flows++}`, content: FLOW })).id;
}
async function newWorkflow(): Promise<unknown> {
  const { id } = await make('/workflow', { workspaceId, name: 'x', description: '' });
  const body = { steps: [{ key: 'first', definition: { set: { a: 1 } } }] };
  await people.OWNER.call('PUT', `/workflow/${id}/steps`, { body });
  return id;
}
/** A workflow with a branch. */
async function newBranch(): Promise<unknown> {
  const id = await newWorkflow();
  const [query, body] = [{ workspaceId }, { definition: { set: { a: 2 } } }];
  await people.OWNER.call('PUT', `/dev-mode/branches/${id}/steps/first`, { query, body });
  return id;
}
const newCredential = async () =>
  (await make('/auth-credentials', { workspaceId, name: 'x', authType: 'NONE' })).id;

const newSubscription = async () => {
  const subscription = { url: 'https://receiver.invalid/', events: ['issue.created'] };
  return (await make(`/workspaces/${workspaceId}/event-subscriptions`, subscription)).id;
};
/** A delivery of the event of a new issue. */
async function newDelivery(): Promise<unknown> {
  const path = `/event-subscriptions/${await newSubscription()}/deliveries`;
  await make(issuesPath(), { title: 'x', description: '' });
  const { id } = await waitFor('a delivery', async () => {
    const { body } = await people.OWNER.call<{ id: number }[]>('GET', path);
    return body[0];
  });
  return id;
}

const findVersionId = async ({ flowId }: Record<string, unknown>) =>
  (await people.OWNER.call<{ versionId: number }>('GET', `/flows/${flowId}`)).body.versionId;

/** Makes the thing that a parameter names; by the resource's name where the contract gives one. */
const MAKERS: Record<
  string,
  (values: Record<string, unknown>, creator: Person) => Promise<unknown>
> = {
  workspaceId: async () => workspaceId,
  issueId: async () => (await make(issuesPath(), { title: 'x', description: '' })).id,
  'API key': async () =>
    (await make('/api-keys', { workspaceId, name: 'x', scopes: ['flows:read'] })).id,
  'service account': async () => (await make('/service-accounts', { workspaceId, name: 'x' })).id,
  invitation: async () =>
    (
      await make('/workspaces/invitations', {
        workspaceId,
        email: `invitee-${invitees++}@example.com`,
        role: 'GUEST',
      })
    ).id,
  'auth credential': newCredential,
  'API description': async () =>
    (
      await make('/api-descriptions', {
        workspaceId,
        name: 'x',
        description: '',
        url: targetOf(server),
        methodType: 'GET',
        authCredentialId: await newCredential(),
      })
    ).id,
  'configuration store': async () => (await make('/configurations', { workspaceId, name: 'x' })).id,
  // Archived, so that it can be restored.
  externalId: async () => {
    const { externalId } = await make('/configurations', { workspaceId, name: 'x' });
    const query = { workspaceId };
    await people.OWNER.call('PUT', `/configurations/${externalId}/archive`, { query });
    return externalId;
  },
  flow: newFlow,
  'transformation test': async () =>
    (
      await make(`/flows/${await newFlow()}/transformation-tests`, {
        name: 'x',
        expression: '1',
        input: null,
        expected: 1,
      })
    ).id,
  flowId: async ({ storeId }) => {
    const flowId = await newFlow();
    await make(`/configurations/${storeId}/flow-credentials`, { flowId });
    return flowId;
  },
  versionId: findVersionId,
  a: findVersionId,
  b: findVersionId,
  bulkJob: async () => (await make(`/flows/${await newFlow()}/runs/cancel`, {})).jobId,
  run: async () => (await make(`/flows/${await newFlow()}/runs?wait=5000`, {})).id,
  recording: async () => (await createRecording({ owner: people.OWNER, workspaceId })).id,
  schedule: async () => (await make(`/flows/${await newFlow()}/schedules`, SCHEDULE)).id,
  webhook: async () => (await make(`/flows/${await newFlow()}/webhooks`, {})).id,
  workflow: newWorkflow,
  workflowId: newBranch,
  key: async () => 'first',
  'event subscription': newSubscription,
  delivery: newDelivery,
  execution: async () => (await make(`/workflow/${await newWorkflow()}/execute`, {})).id,
  conversation: async (_values, creator) =>
    (await make('/agent/conversations', { workspaceId }, creator)).id,
  attachment: async (_values, creator) =>
    (await createAttachment({ owner: creator, workspaceId })).id,
  messageId: async ({ id }, creator) => {
    const content = 'call issues_create {"title":"x","description":""}';
    return (await make(`/agent/conversations/${id}/messages`, { content }, creator)).id;
  },
  name: async () => 'approve',
  stepId: async ({ runId }) =>
    (await people.OWNER.call<{ id: number }[]>('GET', `/flows/runs/${runId}/steps`)).body[0]?.id,
};
const issuesPath = () => `/workspaces/${workspaceId}/issues`;

/** The value of each parameter that an operation cannot do without: what names its workspace, its path. */
async function valuesFor(
  { contract }: Operation,
  creator = people.OWNER,
): Promise<Record<string, unknown>> {
  const { access } = contract;
  const values: Record<string, unknown> = {};
  if (!('in' in access) || 'of' in access.in) return values;
  const { parameter } = access.in;
  const resource = 'resource' in access.in ? access.in.resource : 'workspaceId';
  for (const [name, maker] of [
    [parameter, resource],
    ...Object.keys(contract.path ?? {}).map((other) => [other, other]),
  ] as [string, string][]) {
    const makeIt = MAKERS[maker];
    if (name in values) continue;
    if (!makeIt) throw new Error(`the test does not know how to make a ${maker}`);
    values[name] = await makeIt(values, creator);
  }
  return values;
}

/** A precondition that fails after the access check, so that the workspace of all cells stays. */
const KEPT = { 'if-match': '"other"' };

function send(operation: Operation, values: Record<string, unknown>, person?: Person) {
  const { method, path, contract } = operation;
  const at = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(values[name]));
  const pick = (place: 'query' | 'body') =>
    Object.fromEntries(Object.entries(values).filter(([name]) => name in (contract[place] ?? {})));
  const options: RequestOptions = {
    query: pick('query') as Record<string, number>,
    ...bodyOf(operation, () => pick('body')),
    ...(person ? { token: person.token } : {}),
    ...(operation.name === 'workspaces.remove' ? { headers: KEPT } : {}),
  };
  return request<ProblemBody>(server.url, method, at, options);
}

/** The body of a request, which for an upload is a file. */
const bodyOf = ({ contract }: Operation, fields: () => object): RequestOptions => {
  if (contract.upload) return fileForm('x', 'a.txt');
  return contract.body ? { body: fields() } : {};
};

const ofMembers = operations.filter(({ contract }) => contract.access.who === 'member');

describe.each(ofMembers.map((operation) => [operation.name, operation] as const))(
  '%s',
  (_name, operation) => {
    const { access } = operation.contract;
    const allowed = access.who === 'member' ? access.roles : [];

    it.each(ROLES)(`answers ${operation.method} ${operation.path} to the role %s`, async (role) => {
      const isOwn = access.who === 'member' && access.rules?.includes('own');
      const creator = isOwn && allowed.includes(role) ? people[role] : people.OWNER;
      const values = await valuesFor(operation, creator);
      const { status, body } = await send(operation, values, people[role]);
      if (allowed.includes(role)) {
        expect([401, 403, 404]).not.toContain(status);
        expect(status).toBeLessThan(500);
      } else expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
    });

    it('is 404 for an outsider, as what does not exist', async () => {
      const { status, body } = await send(operation, await valuesFor(operation), people.outsider);
      expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    });

    it('is 401 for who shows no token, or a bad one', async () => {
      const values = await valuesFor(operation);
      expect((await send(operation, values)).status).toBe(401);
      const forged = { ...people.OWNER, token: `${people.OWNER.token}x` };
      expect((await send(operation, values, forged)).status).toBe(401);
    });
  },
);

describe('the permissions of a workspace', () => {
  const routeOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

  /** The operations that a row of the matrix opens to the caller, at least for what concerns the caller. */
  function openedRoutes(traits: CallerTraits): string[] {
    const built = new Set(operations.map(routeOf));
    const opens = [{}, { self: true }].map(
      (concern) => (row: (typeof permissionRows)[number]) =>
        expectedAnswer(row, traits, 'own', concern) === 'success',
    );
    const rows = permissionRows.filter((row) => opens.some((isOpen) => isOpen(row)));
    return rows.map(routeOf).filter((route) => built.has(route));
  }

  async function assertShown(traits: CallerTraits & { role: Role | null }, token: string) {
    const { body } = await request<{ role: string; operations: Operation[] }>(
      server.url,
      'GET',
      `/workspaces/${workspaceId}/permissions`,
      { token },
    );
    expect(body.role).toBe(traits.role);
    expect(body.operations.map(routeOf).sort()).toEqual(openedRoutes(traits).sort());
  }

  it.each(ROLES)('are the rows that open to the role %s', async (role) => {
    await assertShown({ kind: 'person', role }, people[role].token);
  });

  it('are those of operators as well for an operator', async () => {
    const operator = await registerOperator(server.url);
    const query = { userEmail: operator.email, role: 'GUEST' };
    await people.OWNER.call('POST', `/workspaces/${workspaceId}/users`, { query });
    const traits = { kind: 'person', role: 'GUEST', operator: true } as const;
    await assertShown(traits, operator.token);
    expect(openedRoutes(traits)).toContain('GET /email-domains');
  });

  it.each(ROLES.filter((role) => role !== 'OWNER'))(
    'are the rows that open to a service account with the role %s',
    async (role) => {
      const body = { workspaceId, name: role, role };
      const account = await make('/service-accounts', body);
      const { clientId: client_id, clientSecret: client_secret } = account;
      const { body: answer } = await request<{ access_token: string }>(
        server.url,
        'POST',
        '/auth/token',
        { body: { grant_type: 'client_credentials', client_id, client_secret } },
      );
      await assertShown({ kind: 'service-account', role }, answer.access_token);
    },
  );
});
