import type { RequestOptions } from '../helpers/http.ts';
import { fileForm } from '../helpers/multipart.ts';
import {
  addMember,
  createWorkspace,
  mailTo,
  PASSWORD,
  register,
  registerOperator,
  registerVerified,
} from '../helpers/people.ts';
import { createFlow, startRun, stepsOf } from '../helpers/runs.ts';
import {
  archiveStore,
  CREDENTIAL,
  createAccount,
  createAttachment,
  createBranch,
  createConversation,
  createCredential,
  createDescription,
  createEarlierVersion,
  createEmptyWorkflow,
  createIssue,
  createKey,
  createOpenCredential,
  createOwnDescription,
  createRecording,
  createSchedule,
  createStore,
  createSubscription,
  createTransformationTest,
  createWaitingCall,
  createWebhook,
  createWorkflow,
  FLOW,
  findDelivery,
  findVersionId,
  inviteSomebody,
  newDescription,
  newEmail,
  openSession,
  RECORDED_EVENTS,
  registerUnverified,
  requestReset,
  SCHEDULE,
  SCREEN,
  startExecution,
  TRANSFORMATION_TEST,
  targetOf,
  unique,
  WAITING_FLOW,
  type World,
} from './sample-world.ts';

/** A request that its operation answers with success, once its world was made. */
export interface Sample extends RequestOptions {
  /** The values of the path's parameters. */
  path?: Record<string, number | string>;
  /** The statuses besides success that a repetition may get, where the first one had its effect. */
  repeated?: number[];
}

const NEW_PASSWORD = 'eleven quiet harbours';

const inWorkspace = ({ workspaceId, owner: { token } }: World): Sample => ({
  path: { workspaceId },
  token,
});
const ofFlow = ({ flowId, owner: { token } }: World): Sample => ({ path: { flowId }, token });
/** The one delivery of a world: each further subscription would get one of each issue. */
const deliveries = new WeakMap<World, Promise<number>>();
function deliveryOf(world: World): Promise<number> {
  const known = deliveries.get(world);
  if (known) return known;
  const made = createSubscription(world).then((subscription) => findDelivery(world, subscription));
  deliveries.set(world, made);
  return made;
}
const ofSubscription = async (world: World) => ({
  path: { id: (await createSubscription(world)).id },
  token: world.owner.token,
});
const ofRun = ({ runId, owner: { token } }: World): Sample => ({ path: { runId }, token });
const ofOwnFlow = async ({ owner, workspaceId }: World) => ({
  path: { flowId: await createFlow(owner, workspaceId, FLOW) },
  token: owner.token,
});
/** A flow of its own, because a flow has one live job of a kind. */
const ofIdleFlow = async ({ owner, workspaceId }: World) => ({
  path: { flowId: await createFlow(owner, workspaceId, WAITING_FLOW) },
  token: owner.token,
  repeated: [409],
});
/** A flow of its own, because the triggers of a flow are bounded. */
const ofNewFlow = async ({ owner, workspaceId }: World) => ({
  path: { flowId: await createFlow(owner, workspaceId, FLOW) },
  token: owner.token,
});
const ofSchedule = async (world: World) => ({
  path: { id: (await createSchedule(world)).id },
  token: world.owner.token,
});
const ofRecording = async (world: World) => ({
  path: { id: (await createRecording(world)).id },
  token: world.owner.token,
});
const ofNewAccount = async (world: World): Promise<Sample> => ({
  path: { serviceAccountId: (await createAccount(world)).id },
  token: world.owner.token,
});
const asOwner = ({ owner: { token } }: World): Sample => ({ token });

const ofWorkflow = async (world: World): Promise<Sample> => ({
  path: { id: (await createWorkflow(world)).id },
  token: world.owner.token,
});
const ofBranch = async (world: World): Promise<Sample> => ({
  path: { workflowId: (await createBranch(world)).id },
  query: { workspaceId: world.workspaceId },
  token: world.owner.token,
});
const ofBranchStep = async (world: World): Promise<Sample> => {
  const { path, ...sample } = await ofBranch(world);
  return { ...sample, path: { ...path, key: 'first' } };
};
const ofExecution = async (world: World): Promise<Sample> => ({
  path: { id: (await startExecution(world)).id },
  token: world.owner.token,
});

const ofConversation = async (world: World): Promise<Sample> => ({
  path: { id: (await createConversation(world)).id },
  token: world.owner.token,
});

const ofAttachment = async (world: World): Promise<Sample> => ({
  path: { id: (await createAttachment(world)).id },
  token: world.owner.token,
});

const ofStore = async (world: World): Promise<Sample> => ({
  path: { storeId: (await createStore(world)).id },
  token: world.owner.token,
});
const ofNamedStore = async (world: World, make = createStore) => ({
  path: { externalId: String((await make(world)).id) },
  query: { workspaceId: world.workspaceId },
  token: world.owner.token,
});

/** A listed domain, for a request by an operator. */
async function domainOfOperator({ url }: World): Promise<Sample> {
  const operator = await registerOperator(url);
  const body = { domain: `${unique('domain')}.example` };
  const made = await operator.call<{ id: number }>('POST', '/email-domains', { body });
  return { token: operator.token, path: { id: made.body.id } };
}

/** A request of each operation, by the operation's name. A test that goes over all fails where one is missing. */
export const SAMPLES: Record<string, (world: World) => Promise<Sample> | Sample> = {
  'api.home': () => ({}),
  'api.live': () => ({}),
  'api.ready': () => ({ repeated: [503] }), // until the driver has seen the database again
  'api.openapi': () => ({}),
  'api.docs': () => ({}),
  'api.mcp': (world) => ({ ...asOwner(world), body: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
  'api.mcpResource': () => ({}),

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
  'identity.listSessions': asOwner,
  'identity.endSession': async ({ url, owner: { email, token } }) => ({
    token,
    path: { sessionId: await openSession(url, email) },
    repeated: [404],
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
    body: { token: await requestReset(world), newPassword: NEW_PASSWORD },
    repeated: [400],
  }),
  'identity.verifyEmail': async (world) => {
    const { person, token } = await registerUnverified(world);
    return { token: person.token, body: { token }, repeated: [400] };
  },
  'identity.undoAddressChange': async ({ url }) => {
    const { id, email, call } = await registerVerified(url);
    const body = { firstName: 'Ada', lastName: 'King', email: `moved.${email}` };
    await call('PUT', `/users/${id}`, { body });
    const { token } = await mailTo(url, email, 'Your e-mail address was changed');
    return { body: { token }, repeated: [400] };
  },
  'identity.jwks': () => ({}),
  'identity.getUser': asOwner,
  'identity.updateUser': async ({ url }) => {
    const { id, token, email } = await register(url);
    const body = { firstName: 'Ada', lastName: 'King', email };
    return { token, path: { id }, body };
  },
  'identity.removeUser': async ({ url }) => {
    const { id, token } = await register(url);
    return { token, path: { id }, repeated: [401, 404] };
  },
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
  'identity.rotateApiKey': async (world) => ({
    token: world.owner.token,
    path: { id: (await createKey(world)).id },
    body: { graceMs: 60_000 },
  }),
  'identity.revokeApiKey': async (world) => ({
    token: world.owner.token,
    path: { id: (await createKey(world)).id },
  }),
  'identity.createServiceAccount': ({ workspaceId, owner: { token } }) => ({
    token,
    body: { workspaceId, name: 'x' },
  }),
  'identity.listServiceAccounts': inWorkspace,
  'identity.getServiceAccount': ofNewAccount,
  'identity.updateServiceAccount': async (world) => ({
    ...(await ofNewAccount(world)),
    body: { name: 'y' },
  }),
  'identity.removeServiceAccount': async (world) => ({
    ...(await ofNewAccount(world)),
    repeated: [404],
  }),
  'identity.rotateServiceAccountSecret': ofNewAccount,
  'identity.token': async (world) => {
    const { clientId, clientSecret } = await createAccount(world);
    const body = {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    };
    return { body };
  },
  'identity.createEmailDomain': async ({ url }) => ({
    token: (await registerOperator(url)).token,
    body: { domain: `${unique('domain')}.example` },
    repeated: [400],
  }),
  'identity.listEmailDomains': async ({ url }) => ({ token: (await registerOperator(url)).token }),
  'identity.getEmailDomain': domainOfOperator,
  'identity.updateEmailDomain': async (world) => ({
    ...(await domainOfOperator(world)),
    body: { autoJoinWorkspaceId: world.workspaceId, autoJoinRole: 'MEMBER' },
  }),
  'identity.removeEmailDomain': async (world) => ({
    ...(await domainOfOperator(world)),
    repeated: [404],
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
  'workspaces.remove': async ({ owner }) => ({
    token: owner.token,
    path: { id: await createWorkspace(owner) },
    repeated: [404],
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
  'workspaces.listAudit': inWorkspace,

  'workspaces.invite': ({ workspaceId, owner: { token } }) => ({
    token,
    body: { workspaceId, email: newEmail(), role: 'GUEST' },
  }),
  'workspaces.listReceivedInvitations': asOwner,
  'workspaces.listCreatedInvitations': asOwner,
  'workspaces.listInvitations': inWorkspace,
  'workspaces.acceptInvitation': async (world) => {
    const { invitation, invitee } = await inviteSomebody(world);
    return { token: invitee.token, path: { id: invitation.id }, repeated: [409] };
  },
  'workspaces.acceptInvitationByToken': async (world) => {
    const { invitee, token } = await inviteSomebody(world);
    return { token: invitee.token, body: { token }, repeated: [409] };
  },
  'workspaces.declineInvitation': async (world) => {
    const { invitation, invitee } = await inviteSomebody(world);
    return { token: invitee.token, path: { id: invitation.id }, repeated: [409] };
  },
  'workspaces.resendInvitation': async (world) => ({
    token: world.owner.token,
    path: { id: (await inviteSomebody(world)).invitation.id },
  }),
  'workspaces.revokeInvitation': async (world) => ({
    token: world.owner.token,
    path: { id: (await inviteSomebody(world)).invitation.id },
    repeated: [409],
  }),

  'issues.list': inWorkspace,
  'issues.create': (world) => ({
    ...inWorkspace(world),
    body: { title: 'x', description: '', assignedUserId: world.guest.id },
  }),
  'issues.createExternal': async (world) => ({
    path: { workspaceId: world.workspaceId },
    headers: { 'x-api-key': (await createKey(world)).key },
    body: { title: 'x', description: '' },
  }),
  'issues.get': async (world) => ({
    token: world.owner.token,
    path: { workspaceId: world.workspaceId, issueId: (await createIssue(world)).id },
  }),
  'issues.update': async (world) => ({
    token: world.owner.token,
    path: { workspaceId: world.workspaceId, issueId: (await createIssue(world)).id },
    body: { title: 'y', assignedUserId: world.guest.id },
  }),
  'issues.remove': async (world) => ({
    token: world.owner.token,
    path: { workspaceId: world.workspaceId, issueId: (await createIssue(world)).id },
    repeated: [404],
  }),

  'configurations.create': ({ workspaceId, flowId, owner: { token } }) => ({
    token,
    body: {
      workspaceId,
      name: 'x',
      externalId: unique('store'),
      flowCredentialPairs: [{ flowId }],
      properties: [{ key: 'region', value: 'eu' }],
    },
    repeated: [409],
  }),
  'configurations.list': inWorkspace,
  'configurations.get': ofStore,
  'configurations.update': async (world) => ({
    token: world.owner.token,
    body: { id: (await createStore(world)).id, name: 'y', properties: [] },
  }),
  'configurations.archive': async (world) => ({
    ...(await ofNamedStore(world)),
    repeated: [409],
  }),
  'configurations.restore': async (world) => ({
    ...(await ofNamedStore(world, archiveStore)),
    repeated: [404],
  }),
  'configurations.restoreExternal': async (world) => ({
    path: { externalId: (await archiveStore(world)).externalId },
    headers: { 'x-api-key': (await createKey(world, 'configurations:restore')).key },
    repeated: [404],
  }),
  'configurations.getProperties': ofNamedStore,
  'configurations.setProperty': async (world) => ({
    ...(await ofNamedStore(world)),
    body: { key: 'region', value: 'us' },
  }),
  'configurations.setPropertiesExternal': async (world) => {
    const { path, query } = await ofNamedStore(world);
    return {
      ...{ path, query },
      headers: { 'x-api-key': (await createKey(world, 'configurations:properties')).key },
      body: { properties: [{ key: 'region', value: 'us' }] },
    };
  },
  'configurations.getFlowCredentials': ofStore,
  'configurations.setFlowCredentials': async (world) => ({
    ...(await ofStore(world)),
    body: { flowId: world.flowId, sourceAuthCredentialId: (await createCredential(world)).id },
  }),
  'configurations.removeFlowCredentials': async (world) => {
    const { token, path } = await ofStore(world);
    return {
      ...(token ? { token } : {}),
      path: { ...path, flowId: world.flowId },
      repeated: [404],
    };
  },

  'connections.createAuthCredential': ({ workspaceId, owner: { token } }) => ({
    token,
    body: { workspaceId, ...CREDENTIAL },
  }),
  'connections.listAuthCredentials': inWorkspace,
  'connections.getAuthCredential': async (world) => ({
    token: world.owner.token,
    path: { id: (await createCredential(world)).id },
  }),
  'connections.updateAuthCredential': async (world) => ({
    token: world.owner.token,
    body: { authCredentialId: (await createCredential(world)).id, name: unique('credential') },
  }),
  'connections.removeAuthCredential': async (world) => ({
    token: world.owner.token,
    path: { id: (await createCredential(world)).id },
    repeated: [404],
  }),
  'connections.testAuthCredential': async (world) => ({
    token: world.owner.token,
    path: { id: (await createOpenCredential(world)).id },
    body: { url: targetOf(world) },
  }),
  'connections.testApiDescription': async (world) => ({
    token: world.owner.token,
    path: { id: (await createOwnDescription(world)).id },
  }),
  'connections.createApiDescription': async (world) => ({
    token: world.owner.token,
    body: await newDescription(world),
  }),
  'connections.listApiDescriptions': inWorkspace,
  'connections.getApiDescription': async (world) => ({
    token: world.owner.token,
    path: { id: (await createDescription(world)).id },
  }),
  'connections.updateApiDescription': async (world) => ({
    token: world.owner.token,
    body: { apiDescriptionId: (await createDescription(world)).id, name: unique('description') },
  }),
  'connections.removeApiDescription': async (world) => ({
    token: world.owner.token,
    path: { id: (await createDescription(world)).id },
    repeated: [404],
  }),

  'events.createSubscription': (world) => ({
    ...inWorkspace(world),
    body: { url: 'https://receiver.example/events', events: ['issue.created'] },
  }),
  'events.listSubscriptions': inWorkspace,
  'events.updateSubscription': async (world) => ({
    ...(await ofSubscription(world)),
    body: { events: ['issue.deleted'] },
  }),
  'events.removeSubscription': async (world) => ({
    ...(await ofSubscription(world)),
    repeated: [404],
  }),
  'events.listDeliveries': ofSubscription,
  'events.replayDeliveries': ofSubscription,
  'events.replayDelivery': async (world) => ({
    path: { id: await deliveryOf(world) },
    token: world.owner.token,
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
  'flows.remove': async ({ owner, workspaceId }) => ({
    token: owner.token,
    path: { flowId: await createFlow(owner, workspaceId, FLOW) },
    repeated: [404],
  }),
  'flows.list': inWorkspace,
  'flows.listVersions': ofFlow,
  'flows.getVersion': async (world) => ({
    token: world.owner.token,
    path: { flowId: world.flowId, versionId: await findVersionId(world) },
  }),
  'flows.diff': async (world) => {
    const version = await findVersionId(world);
    return {
      token: world.owner.token,
      path: { flowId: world.flowId, a: version, b: version },
    };
  },
  'flows.restore': async (world) => ({
    token: world.owner.token,
    path: await createEarlierVersion(world),
  }),
  'flows.graph': ofFlow,
  'flows.testTransformation': ({ owner: { token } }) => ({
    token,
    body: { expression: '$sum(a)', input: { a: [1, 2] } },
  }),
  'flows.createTransformationTest': async (world) => ({
    ...(await ofOwnFlow(world)),
    body: TRANSFORMATION_TEST,
  }),
  'flows.listTransformationTests': ofFlow,
  'flows.runTransformationTests': ofFlow,
  'flows.removeTransformationTest': async (world) => ({
    token: world.owner.token,
    path: { id: (await createTransformationTest(world)).id },
    repeated: [404],
  }),
  'flows.validate': ({ owner: { token } }) => ({ token, body: { content: FLOW } }),

  'recordings.create': ({ workspaceId, owner: { token } }) => ({
    token,
    body: { workspaceId, name: unique('recording'), screen: SCREEN },
  }),
  'recordings.list': inWorkspace,
  'recordings.get': ofRecording,
  'recordings.appendEvents': async (world) => ({
    ...(await ofRecording(world)),
    body: { sequence: 2, events: RECORDED_EVENTS },
  }),
  'recordings.pause': ofRecording,
  'recordings.resume': async (world) => {
    const sample = await ofRecording(world);
    await world.owner.call('POST', `/recordings/${sample.path.id}/pause`);
    return sample;
  },
  'recordings.finish': ofRecording,
  'recordings.getSteps': ofRecording,
  'recordings.remove': async (world) => ({ ...(await ofRecording(world)), repeated: [404] }),

  'workflows.create': ({ workspaceId, owner: { token } }) => ({
    token,
    body: { workspaceId, name: unique('workflow'), description: '' },
  }),
  'workflows.update': async (world) => ({
    token: world.owner.token,
    body: { workflowId: (await createEmptyWorkflow(world)).id, name: unique('workflow') },
  }),
  'triggers.createSchedule': async (world) => ({ ...(await ofNewFlow(world)), body: SCHEDULE }),
  'triggers.listSchedules': ofFlow,
  'triggers.updateSchedule': async (world) => ({
    ...(await ofSchedule(world)),
    body: { enabled: false },
  }),
  'triggers.createWebhook': async (world) => ({ ...(await ofNewFlow(world)), body: {} }),
  'triggers.listWebhooks': ofFlow,
  'triggers.removeWebhook': async (world) => ({
    path: { id: (await createWebhook(world)).id },
    token: world.owner.token,
    repeated: [404],
  }),
  'triggers.receive': async (world) => ({
    path: { token: (await createWebhook(world)).url.split('/').at(-1) ?? '' },
    body: { order: 1041 },
  }),
  'triggers.removeSchedule': async (world) => ({ ...(await ofSchedule(world)), repeated: [404] }),

  'workflows.get': ofWorkflow,
  'workflows.remove': async (world) => ({ ...(await ofWorkflow(world)), repeated: [404] }),
  'workflows.list': inWorkspace,
  'workflows.getSteps': ofWorkflow,
  'workflows.setSteps': async (world) => ({
    ...(await ofWorkflow(world)),
    body: { steps: [{ key: 'only', definition: { set: { z: unique('value') } } }] },
  }),
  'workflows.getText': ofWorkflow,

  'dev-mode.getStep': ofBranchStep,
  'dev-mode.editStep': async (world) => ({
    ...(await ofBranchStep(world)),
    body: { definition: { set: { x: unique('value') } } },
  }),
  // A step that the branch has added, so that its deletion leaves nothing to show.
  'dev-mode.removeStep': async (world) => {
    const sample = await ofBranchStep(world);
    const key = 'added';
    const at = `/dev-mode/branches/${sample.path?.workflowId}/steps/${key}`;
    const body = { definition: { set: { x: 1 } } };
    await world.owner.call('PUT', at, { query: { workspaceId: world.workspaceId }, body });
    return { ...sample, path: { ...sample.path, key }, repeated: [404] };
  },
  'dev-mode.getBranch': ofBranch,
  'dev-mode.listEdits': ofBranch,
  'dev-mode.publish': ofBranch,
  'dev-mode.discard': async (world) => ({ ...(await ofBranch(world)), repeated: [404] }),

  'runs.execute': ofWorkflow,
  'runs.executeDraft': ofBranch,
  'runs.listExecutions': ofWorkflow,
  'runs.getExecution': ofExecution,
  'runs.cancelExecution': async (world) => ({ ...(await ofExecution(world)), repeated: [409] }),

  'runs.start': ofFlow,
  'runs.startExternal': async (world) => ({
    path: { flowId: world.flowId },
    headers: { 'x-api-key': (await createKey(world, 'flows:run')).key },
  }),
  'runs.list': ofFlow,
  'runs.get': ofRun,
  'runs.listSteps': ofRun,
  'runs.events': ofRun,
  'runs.getStep': async ({ owner, runId }) => ({
    token: owner.token,
    path: { runId, stepId: (await stepsOf(owner, runId))[0]?.id ?? 0 },
  }),
  'runs.cancel': async ({ owner, workspaceId }) => {
    const flowId = await createFlow(owner, workspaceId, WAITING_FLOW);
    const { body: run } = await startRun(owner, flowId);
    return { token: owner.token, path: { runId: run.id }, repeated: [409] };
  },
  'runs.retry': ofRun,
  'runs.cancelRuns': ofIdleFlow,
  'runs.retryRuns': ofIdleFlow,
  'runs.getBulkJob': async (world) => {
    const { token, path } = await ofIdleFlow(world);
    const cancel = `/flows/${path.flowId}/runs/cancel`;
    const { body } = await world.owner.call<{ jobId: number }>('POST', cancel);
    return { token, path: { id: body.jobId } };
  },
  'runs.signal': async ({ owner, workspaceId }) => {
    const flowId = await createFlow(owner, workspaceId, WAITING_FLOW);
    const { body: run } = await startRun(owner, flowId);
    return { token: owner.token, path: { runId: run.id, name: 'approve' }, body: { by: 'me' } };
  },
  'runs.statistics': ({ workspaceId, owner: { token } }) => ({ token, query: { workspaceId } }),
  'runs.recent': ({ workspaceId, owner: { token } }) => ({ token, query: { workspaceId } }),

  'assistant.createConversation': ({ workspaceId, owner: { token } }) => ({
    token,
    body: { workspaceId, title: 'x' },
  }),
  'assistant.listConversations': inWorkspace,
  'assistant.getConversation': ofConversation,
  'assistant.sendMessage': async (world) => ({
    ...(await ofConversation(world)),
    body: { content: 'Good morning' },
    repeated: [409],
  }),
  'assistant.approve': async (world) => {
    const { id, messageId, toolCallId } = await createWaitingCall(world);
    const body = { decisions: [{ toolCallId, approve: true }] };
    return { token: world.owner.token, path: { id, messageId }, body, repeated: [409] };
  },
  'assistant.uploadAttachment': async (world) => ({
    ...(await ofConversation(world)),
    ...fileForm('a,b', 'a.csv'),
  }),
  'assistant.getAttachment': ofAttachment,
  'assistant.removeAttachment': async (world) => ({
    ...(await ofAttachment(world)),
    repeated: [404],
  }),
  'assistant.removeConversation': async (world) => ({
    ...(await ofConversation(world)),
    repeated: [404],
  }),
};
