import { randomBytes } from 'node:crypto';
import type { Scope } from '../../contract/access-rule.ts';
import { request } from '../helpers/http.ts';
import { startModelServer } from '../helpers/model-server/model-server.ts';
import { fileForm } from '../helpers/multipart.ts';
import {
  addMember,
  createWorkspace,
  mailTo,
  PASSWORD,
  type Person,
  register,
  registerVerified,
} from '../helpers/people.ts';
import { createFlow, runToEnd } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

export const FLOW = `do:
  - first: { set: { x: 1 } }
  - second: { set: { y: 2 } }
`;
export const WAITING_FLOW = `do:
  - rest: { wait: PT1H }
`;

export const unique = (prefix: string): string => `${prefix}-${randomBytes(5).toString('hex')}`;
export const newEmail = (): string => `${unique('somebody')}@example.com`;

/** The resources that all samples share. A sample creates for itself each resource that its request uses up. */
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

/** Creates a resource by a request. Returns the answer's body. */
async function create<T>(owner: Person, path: string, body: object): Promise<T> {
  const { status, body: answer, text } = await owner.call<T>('POST', path, { body });
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
  return answer;
}

export const createIssue = ({ owner, workspaceId }: World) =>
  create<{ id: number }>(owner, `/workspaces/${workspaceId}/issues`, {
    title: 'x',
    description: '',
  });
export const createKey = ({ owner, workspaceId }: World, scope: Scope = 'issues:create') =>
  create<{ id: number; key: string }>(owner, '/api-keys', {
    workspaceId,
    name: 'x',
    scopes: [scope],
  });
export const createAccount = ({ owner, workspaceId }: World) =>
  create<{ id: number; clientId: string; clientSecret: string }>(owner, '/service-accounts', {
    workspaceId,
    name: 'x',
  });
export const createStore = ({ owner, workspaceId, flowId }: World) =>
  create<{ id: number; externalId: string }>(owner, '/configurations', {
    workspaceId,
    name: 'x',
    flowCredentialPairs: [{ flowId }],
    properties: [{ key: 'region', value: 'eu' }],
  });
export const CREDENTIAL = {
  name: 'x',
  authType: 'BASIC',
  allowedOrigins: ['https://api.example.com'],
  secret: { username: 'ada', password: 'eleven quiet harbours' },
};
export const createCredential = ({ owner, workspaceId }: World) =>
  create<{ id: number }>(owner, '/auth-credentials', { workspaceId, ...CREDENTIAL });
/** The environment of a service that may call the target of the samples: the service itself. */
export const CALLS_ITSELF = { OUTBOUND_ALLOW: '127.0.0.0/8' };
/** The environment of a service in which each sample has success: it has a model as well. */
export const sampleEnvironment = async (): Promise<Record<string, string>> => ({
  ...CALLS_ITSELF,
  RECORDINGS_PER_WORKSPACE: 'off',
  DIRECTORY_ENTRIES_PER_DAY: 'off',
  ATTACHMENT_BYTES_PER_WORKSPACE: 'off',
  ...(await startModelServer()).env,
});
export const targetOf = ({ url }: { url: string }): string => `${url}/health/live`;
export const createOpenCredential = ({ owner, workspaceId }: World) =>
  create<{ id: number }>(owner, '/auth-credentials', { workspaceId, name: 'x', authType: 'NONE' });
export async function createOwnDescription(world: World) {
  const { id: authCredentialId } = await createOpenCredential(world);
  const { workspaceId } = world;
  const body = { ...DESCRIPTION, workspaceId, authCredentialId, url: targetOf(world) };
  return create<{ id: number }>(world.owner, '/api-descriptions', body);
}
export async function archiveStore(world: World) {
  const store = await createStore(world);
  const query = { workspaceId: world.workspaceId };
  const path = `/configurations/${store.externalId}/archive`;
  const { status, text } = await world.owner.call('PUT', path, { query });
  if (status !== 200) throw new Error(`archiving answered ${status}: ${text}`);
  return store;
}
const DESCRIPTION = {
  name: 'x',
  description: '',
  url: 'https://api.example.com/orders/{orderId}',
  methodType: 'GET',
};
/** The body of a new API description, with a new credential. */
export const newDescription = async (world: World) => ({
  ...DESCRIPTION,
  workspaceId: world.workspaceId,
  authCredentialId: (await createCredential(world)).id,
});
export const createDescription = async (world: World) =>
  create<{ id: number }>(world.owner, '/api-descriptions', await newDescription(world));
/** A schedule that no test lives to see. */
export const SCHEDULE = {
  cron: '0 0 29 2 *',
  timeZone: 'Europe/Berlin',
  misfire: 'SKIP',
  overlap: 'ALLOW',
};
export const createSchedule = ({ owner, flowId }: Pick<World, 'owner' | 'flowId'>) =>
  create<{ id: number }>(owner, `/flows/${flowId}/schedules`, SCHEDULE);
export const createWebhook = ({ owner, flowId }: Pick<World, 'owner' | 'flowId'>) =>
  create<{ id: number; url: string }>(owner, `/flows/${flowId}/webhooks`, {});
export const findVersionId = async ({ owner, flowId }: World): Promise<number> =>
  (await owner.call<{ versionId: number }>('GET', `/flows/${flowId}`)).body.versionId;

/** Creates a flow with two versions. Returns the first version. */
export async function createEarlierVersion({ owner, workspaceId }: World) {
  const flowId = await createFlow(owner, workspaceId, FLOW);
  const flow = await owner.call<{ versionId: number }>('GET', `/flows/${flowId}`);
  const content = `${FLOW}# changed\n`;
  const { status, text } = await owner.call('PUT', '/flows', { body: { flowId, content } });
  if (status !== 200) throw new Error(`PUT /flows answered ${status}: ${text}`);
  return { flowId, versionId: flow.body.versionId };
}
export const TRANSFORMATION_TEST = {
  name: 'x',
  expression: '$sum(a)',
  input: { a: [1, 2] },
  expected: 3,
};
/** Saves a test of a new flow. */
export async function createTransformationTest({ owner, workspaceId }: World) {
  const flowId = await createFlow(owner, workspaceId, FLOW);
  const path = `/flows/${flowId}/transformation-tests`;
  return create<{ id: number }>(owner, path, TRANSFORMATION_TEST);
}

/** The steps of the workflows of samples. */
const STEPS = [
  { key: 'first', definition: { set: { x: 1 } } },
  { key: 'second', definition: { set: { y: 2 } } },
];
type Owned = Pick<World, 'owner' | 'workspaceId'>;
export const createEmptyWorkflow = ({ owner, workspaceId }: Owned) =>
  create<{ id: number }>(owner, '/workflow', { workspaceId, name: 'x', description: '' });
/** Creates a workflow with published steps. */
export async function createWorkflow(world: Owned, steps: object[] = STEPS) {
  const workflow = await createEmptyWorkflow(world);
  const path = `/workflow/${workflow.id}/steps`;
  const { status, text } = await world.owner.call('PUT', path, { body: { steps } });
  if (status !== 200) throw new Error(`PUT ${path} answered ${status}: ${text}`);
  return workflow;
}
/** Creates a workflow with a branch, in which the first step is edited. */
export async function createBranch(world: Owned) {
  const workflow = await createWorkflow(world);
  const path = `/dev-mode/branches/${workflow.id}/steps/first`;
  const query = { workspaceId: world.workspaceId };
  const body = { definition: { set: { x: unique('value') } } };
  const { status, text } = await world.owner.call('PUT', path, { query, body });
  if (status !== 200) throw new Error(`PUT ${path} answered ${status}: ${text}`);
  return workflow;
}
/** Starts an execution of a new workflow that waits. */
export async function startExecution(world: Owned) {
  const { id } = await createWorkflow(world, [{ key: 'rest', definition: { wait: 'PT1H' } }]);
  return create<{ id: number }>(world.owner, `/workflow/${id}/execute`, {});
}

export const SCREEN = { width: 1920, height: 1080, scale: 1 };
export const RECORDED_EVENTS = [
  { type: 'CLICK', afterMs: 400, x: 960, y: 540 },
  { type: 'KEY', afterMs: 90, key: 'a' },
];
/** Begins a recording, and adds a batch of events. */
export async function createRecording({ owner, workspaceId }: Owned) {
  const body = { workspaceId, name: 'x', screen: SCREEN };
  const recording = await create<{ id: number }>(owner, '/recordings', body);
  const batch = { sequence: 1, events: RECORDED_EVENTS };
  await create(owner, `/recordings/${recording.id}/events`, batch);
  return recording;
}

/** Requests a new password for a new person. Returns the mailed token. */
export async function requestReset({ url }: World): Promise<string> {
  const { email } = await registerVerified(url);
  await request(url, 'POST', '/auth/password/forgot', { body: { email } });
  return (await mailTo(url, email, 'Set a new password')).token;
}

/** Registers a person without a verified address. Returns the mailed token as well. */
export async function registerUnverified({
  url,
}: World): Promise<{ person: Person; token: string }> {
  const person = await register(url);
  return { person, token: (await mailTo(url, person.email)).token };
}

/** Signs a person in once more. Returns the id of that session. */
export async function openSession(url: string, email: string): Promise<string> {
  const body = { email, password: PASSWORD };
  const { body: session } = await request<{ accessToken: string }>(url, 'POST', '/auth/sign-in', {
    body,
  });
  const { sid } = JSON.parse(
    Buffer.from(session.accessToken.split('.')[1] ?? '', 'base64url').toString(),
  );
  return sid;
}

export const createConversation = ({ owner, workspaceId }: Pick<World, 'owner' | 'workspaceId'>) =>
  create<{ id: number }>(owner, '/agent/conversations', { workspaceId, title: 'x' });

/** Attaches a file to a new conversation. */
export async function createAttachment(world: Pick<World, 'owner' | 'workspaceId'>) {
  const { id } = await createConversation(world);
  const path = `/agent/conversations/${id}/attachments`;
  const { body } = await world.owner.call<{ id: number }>('POST', path, fileForm('a,b', 'a.csv'));
  return body;
}

/** Has the assistant ask for the approval of a call. Returns the message with the call. */
export async function createWaitingCall(world: Pick<World, 'owner' | 'workspaceId'>) {
  const { id } = await createConversation(world);
  const content = 'call issues_create {"title":"x","description":""}';
  const path = `/agent/conversations/${id}/messages`;
  const message = await create<{ id: number; toolCalls: { id: number }[] }>(world.owner, path, {
    content,
  });
  return { id, messageId: message.id, toolCallId: message.toolCalls[0]?.id };
}

/** Invites a new person with a verified address. Returns the invitation, the person and the mailed token. */
export async function inviteSomebody({ url, owner, workspaceId }: World) {
  const invitee = await registerVerified(url, 'Invitee');
  const invited = { workspaceId, email: invitee.email, role: 'GUEST' };
  const invitation = await create<{ id: number }>(owner, '/workspaces/invitations', invited);
  const { token } = await mailTo(url, invitee.email, 'An invitation to a workspace');
  return { invitation, invitee, token };
}

/** Subscribes an address that is never called: the name does not exist (RFC 6761). */
export const createSubscription = ({ owner, workspaceId }: World) =>
  create<{ id: number }>(owner, `/workspaces/${workspaceId}/event-subscriptions`, {
    url: 'https://receiver.invalid/events',
    events: ['issue.created'],
  });

/** Raises an issue. Returns the id of its delivery to the subscription, once it is recorded. */
export async function findDelivery(world: World, { id }: { id: number }): Promise<number> {
  await createIssue(world);
  const delivery = await waitFor('a delivery', async () => {
    const path = `/event-subscriptions/${id}/deliveries`;
    const { body } = await world.owner.call<{ id: number }[]>('GET', path);
    return body[0];
  });
  return delivery.id;
}
