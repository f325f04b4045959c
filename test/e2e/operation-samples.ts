import { randomBytes } from 'node:crypto';
import { type RequestOptions, request } from '../helpers/http.ts';
import {
  addMember,
  createWorkspace,
  mailTo,
  PASSWORD,
  type Person,
  register,
  registerVerified,
} from '../helpers/people.ts';
import { createFlow, runToEnd, startRun, stepsOf } from '../helpers/runs.ts';

/** A request that its operation answers with success, once its world was made. */
export interface Sample extends RequestOptions {
  /** The values of the path's parameters. */
  path?: Record<string, number>;
  /** The statuses besides success that a repetition may get, where the first one had its effect. */
  repeated?: number[];
}

const FLOW = `do:
  - first: { set: { x: 1 } }
  - second: { set: { y: 2 } }
`;
const WAITING_FLOW = `do:
  - rest: { wait: PT1H }
`;
const NEW_PASSWORD = 'eleven quiet harbours';

const unique = (what: string): string => `${what}-${randomBytes(5).toString('hex')}`;
const newEmail = (): string => `${unique('somebody')}@example.com`;

/** What all samples share. A sample makes for itself what its request uses up. */
export interface World {
  url: string;
  owner: Person;
  guest: Person;
  workspaceId: number;
  flowId: number;
  runId: number;
}

export async function makeWorld(url: string): Promise<World> {
  const owner = await registerVerified(url, 'Owner');
  const workspaceId = await createWorkspace(owner);
  const guest = await addMember(url, owner, workspaceId, 'GUEST');
  const flowId = await createFlow(owner, workspaceId, FLOW);
  const { id: runId } = await runToEnd(owner, flowId);
  return { url, owner, guest, workspaceId, flowId, runId };
}

async function made<T>(owner: Person, path: string, body: object): Promise<T> {
  const { status, body: answer, text } = await owner.call<T>('POST', path, { body });
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
  return answer;
}

const newIssue = ({ owner, workspaceId }: World) =>
  made<{ id: number }>(owner, `/workspaces/${workspaceId}/issues`, { title: 'x', description: '' });
const newKey = ({ owner, workspaceId }: World) =>
  made<{ id: number; key: string }>(owner, '/api-keys', {
    workspaceId,
    name: 'x',
    scopes: ['issues:create'],
  });
const newVersionId = async ({ owner, flowId }: World): Promise<number> =>
  (await owner.call<{ versionId: number }>('GET', `/flows/${flowId}`)).body.versionId;

async function forgetful({ url }: World): Promise<string> {
  const { email } = await registerVerified(url);
  await request(url, 'POST', '/auth/password/forgot', { body: { email } });
  return (await mailTo(url, email, 'Set a new password')).token;
}

async function unverified({ url }: World): Promise<{ person: Person; token: string }> {
  const person = await register(url);
  return { person, token: (await mailTo(url, person.email)).token };
}

const inWorkspace = ({ workspaceId, owner: { token } }: World): Sample => ({
  path: { workspaceId },
  token,
});
const ofFlow = ({ flowId, owner: { token } }: World): Sample => ({ path: { flowId }, token });
const ofRun = ({ runId, owner: { token } }: World): Sample => ({ path: { runId }, token });
const asOwner = ({ owner: { token } }: World): Sample => ({ token });

/** A request of each operation, by the operation's name. A test that goes over all fails where one is missing. */
export const SAMPLES: Record<string, (world: World) => Promise<Sample> | Sample> = {
  'api.live': () => ({}),
  'api.ready': () => ({ repeated: [503] }), // until the driver has seen the database again
  'api.openapi': () => ({}),
  'api.docs': () => ({}),

  'identity.register': () => ({
    body: { email: newEmail(), password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' },
    repeated: [409],
  }),
  'identity.signIn': ({ owner: { email } }) => ({ body: { email, password: PASSWORD } }),
  'identity.refresh': async ({ url }) => ({
    body: { refreshToken: (await register(url)).refreshToken },
  }),
  'identity.signOut': async ({ url }) => ({
    body: { refreshToken: (await register(url)).refreshToken },
  }),
  'identity.me': asOwner,
  'identity.changePassword': async ({ url }) => ({
    token: (await register(url)).token,
    body: { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
    repeated: [403],
  }),
  'identity.forgotPassword': async ({ url }) => ({
    body: { email: (await registerVerified(url)).email },
  }),
  'identity.resetPassword': async (world) => ({
    body: { token: await forgetful(world), newPassword: NEW_PASSWORD },
    repeated: [400],
  }),
  'identity.verifyEmail': async (world) => {
    const { person, token } = await unverified(world);
    return { token: person.token, body: { token }, repeated: [400] };
  },
  'identity.jwks': () => ({}),
  'identity.getUser': asOwner,
  'identity.createUser': ({ owner: { token } }) => ({
    token,
    body: { firstName: 'Ada', lastName: 'Lovelace', email: newEmail() },
    repeated: [409],
  }),
  'identity.createApiKey': ({ workspaceId, owner: { token } }) => ({
    token,
    body: { workspaceId, name: 'x', scopes: ['issues:create'] },
  }),
  'identity.listApiKeys': inWorkspace,
  'identity.revokeApiKey': async (world) => ({
    token: world.owner.token,
    path: { id: (await newKey(world)).id },
  }),
  'identity.listOutbox': () => ({}),

  'workspaces.list': asOwner,
  'workspaces.create': async ({ url }) => ({
    token: (await registerVerified(url)).token,
    query: { name: 'Analytical Engines' },
  }),
  'workspaces.get': ({ workspaceId, owner: { token } }) => ({ token, path: { id: workspaceId } }),
  'workspaces.rename': ({ workspaceId, owner: { token } }) => ({
    token,
    path: { id: workspaceId },
    query: { name: unique('Engines') },
  }),
  'workspaces.listMembers': inWorkspace,
  'workspaces.addMember': async (world) => ({
    ...inWorkspace(world),
    query: { userEmail: (await registerVerified(world.url)).email, role: 'MEMBER' },
    repeated: [409],
  }),
  'workspaces.removeMember': async (world) => ({
    ...inWorkspace(world),
    query: {
      userEmail: (await addMember(world.url, world.owner, world.workspaceId, 'GUEST')).email,
    },
    repeated: [404],
  }),
  'workspaces.removeMemberByBody': async (world) => ({
    ...inWorkspace(world),
    body: {
      userEmail: (await addMember(world.url, world.owner, world.workspaceId, 'GUEST')).email,
    },
    repeated: [404],
  }),
  'workspaces.changeRole': async (world) => ({
    ...inWorkspace(world),
    query: {
      userEmail: (await addMember(world.url, world.owner, world.workspaceId, 'GUEST')).email,
      role: 'AGENT',
    },
  }),
  'workspaces.permissions': inWorkspace,

  'issues.list': inWorkspace,
  'issues.create': (world) => ({
    ...inWorkspace(world),
    body: { title: 'x', description: '', assignedUserId: world.guest.id },
  }),
  'issues.createExternal': async (world) => ({
    path: { workspaceId: world.workspaceId },
    headers: { 'x-api-key': (await newKey(world)).key },
    body: { title: 'x', description: '' },
  }),
  'issues.get': async (world) => ({
    token: world.owner.token,
    path: { workspaceId: world.workspaceId, issueId: (await newIssue(world)).id },
  }),
  'issues.update': async (world) => ({
    token: world.owner.token,
    path: { workspaceId: world.workspaceId, issueId: (await newIssue(world)).id },
    body: { title: 'y', assignedUserId: world.guest.id },
  }),
  'issues.remove': async (world) => ({
    token: world.owner.token,
    path: { workspaceId: world.workspaceId, issueId: (await newIssue(world)).id },
    repeated: [404],
  }),

  'flows.create': ({ workspaceId, owner: { token } }) => ({
    token,
    body: { workspaceId, name: unique('flow'), content: FLOW },
    repeated: [409],
  }),
  'flows.update': ({ flowId, owner: { token } }) => ({
    token,
    body: { flowId, content: `${FLOW}# ${unique('version')}\n` },
  }),
  'flows.get': ofFlow,
  'flows.list': inWorkspace,
  'flows.listVersions': ofFlow,
  'flows.getVersion': async (world) => ({
    token: world.owner.token,
    path: { flowId: world.flowId, versionId: await newVersionId(world) },
  }),
  'flows.validate': ({ owner: { token } }) => ({ token, body: { content: FLOW } }),

  'runs.start': ofFlow,
  'runs.list': ofFlow,
  'runs.get': ofRun,
  'runs.listSteps': ofRun,
  'runs.getStep': async ({ owner, runId }) => ({
    token: owner.token,
    path: { runId, stepId: (await stepsOf(owner, runId))[0]?.id ?? 0 },
  }),
  'runs.cancel': async ({ owner, workspaceId }) => {
    const flowId = await createFlow(owner, workspaceId, WAITING_FLOW);
    const { body: run } = await startRun(owner, flowId);
    return { token: owner.token, path: { runId: run.id }, repeated: [409] };
  },
  'runs.statistics': ({ workspaceId, owner: { token } }) => ({ token, query: { workspaceId } }),
  'runs.recent': ({ workspaceId, owner: { token } }) => ({ token, query: { workspaceId } }),
};

/** A value of a body's field, and what a GET answers then; a text names a field that gets another value. */
interface FieldSample {
  value: unknown;
  shown: object | string;
}

/** What shows the fields that an operation changes, each sent alone. */
interface ChangedFields {
  /** Makes a resource to change; answers the path of its GET, of its PUT, and what its PUT needs besides. */
  make(world: World): Promise<{ get: string; put: string; body?: object }>;
  /** By field; a text is the reason why a field changes nothing. */
  fields: Record<string, ((world: World) => FieldSample) | string>;
}

/** By operation: every PUT that takes optional fields in its body. */
export const CHANGED_FIELDS: Record<string, ChangedFields> = {
  'issues.update': {
    async make(world) {
      const path = `/workspaces/${world.workspaceId}/issues/${(await newIssue(world)).id}`;
      return { get: path, put: path };
    },
    fields: {
      id: 'it has to be the id of the path',
      title: () => ({ value: 'changed', shown: { title: 'changed' } }),
      description: () => ({ value: 'changed', shown: { description: 'changed' } }),
      status: () => ({ value: 'RESOLVED', shown: { status: 'RESOLVED' } }),
      assignedUserId: ({ guest: { id } }) => ({ value: id, shown: { assignee: { id } } }),
      assignee: ({ guest: { id } }) => ({ value: { id }, shown: { assignee: { id } } }),
    },
  },
  'flows.update': {
    async make({ owner, workspaceId }) {
      const flowId = await createFlow(owner, workspaceId, FLOW);
      return { get: `/flows/${flowId}`, put: '/flows', body: { flowId } };
    },
    fields: {
      id: 'it has to be `flowId`',
      workspaceId: 'a flow stays in its workspace',
      name: () => {
        const name = unique('flow');
        return { value: name, shown: { name } };
      },
      description: () => ({ value: 'changed', shown: { description: 'changed' } }),
      content: () => ({ value: WAITING_FLOW, shown: 'versionId' }),
    },
  },
};
