import type { Changes } from '../helpers/openapi.ts';

/** Who sends a request: Ada, who registers first, unless a turn says otherwise; an address is a further person. */
export type Cast = 'ada' | 'nobody' | 'key' | 'operator' | `${string}@example.com`;

/** What a turn may know of the turns before. */
export interface Known {
  answerOf(operation: string): Record<string, unknown>;
  /** The token of the newest mail to an address. */
  mailTo(email: string, subject?: string): Promise<string>;
  register(email: string): Promise<void>;
}

/** A request with the examples of an operation. */
export interface Turn {
  operation: string;
  as?: Cast;
  /** Values of earlier answers that no document can know, such as tokens. */
  changes?: (known: Known) => Promise<Changes> | Changes;
  /** A file for an operation that takes one, as a person chooses it on the page. */
  upload?: string;
  /** Sent again until the answer is so. */
  until?: (answer: Record<string, unknown>) => boolean;
  /** The answer of an example that cannot work on a new service, and why. */
  refused?: { status: number; code: string; because: string };
}

const turn = (operation: string, more: Omit<Turn, 'operation'> = {}): Turn => ({
  operation,
  ...more,
});
const all = (...operations: string[]): Turn[] => operations.map((operation) => turn(operation));

const OUTSIDE = 'the example calls a system that is not there';
const NO_MODEL = 'a new service has no model';
const MARY = 'mary@example.com';

/** The secrets that an answer shows once, and the ids that chance made. */
const sessionOf = (operation: string) => (known: Known) => ({
  body: { refreshToken: known.answerOf(operation).refreshToken },
});

/** One story with every operation: who is who first, then the README's first flow, then the rest; deletions come last. */
const INVITED = { workspaceId: 1, role: 'MEMBER' };

export const STORY: readonly Turn[] = [
  ...['api.home', 'api.docs', 'api.openapi', 'api.live', 'api.ready', 'identity.jwks'].map(
    (operation) => turn(operation, { as: 'nobody' }),
  ),
  turn('api.mcpResource', { as: 'nobody' }),
  turn('identity.register', { as: 'nobody' }),
  turn('identity.signIn', { as: 'nobody' }),
  ...all('identity.me', 'identity.getUser', 'workspaces.create', 'workspaces.list'),
  ...all('workspaces.get', 'workspaces.rename', 'workspaces.permissions'),

  ...all('flows.validate', 'flows.create', 'flows.get', 'flows.list', 'runs.start'),
  ...all('runs.get', 'runs.signal'),
  turn('runs.get', { until: ({ status }) => status === 'SUCCESS' }),
  ...all('runs.listSteps', 'runs.getStep', 'runs.events', 'runs.list', 'runs.recent'),
  ...all('runs.statistics', 'runs.retry', 'flows.graph', 'flows.listVersions'),
  ...all('flows.getVersion', 'flows.update', 'flows.diff', 'flows.restore'),
  ...all('flows.testTransformation', 'flows.createTransformationTest'),
  ...all('flows.listTransformationTests', 'flows.runTransformationTests'),

  ...all('identity.createUser', 'workspaces.addMember', 'workspaces.listMembers'),
  ...all('workspaces.changeRole', 'workspaces.removeMember', 'workspaces.addMember'),
  ...all('workspaces.removeMemberByBody', 'workspaces.invite', 'workspaces.listInvitations'),
  ...all('workspaces.listCreatedInvitations', 'workspaces.resendInvitation'),
  turn('workspaces.listReceivedInvitations', {
    changes: async ({ register }) => {
      await register(MARY);
      return {};
    },
  }),
  turn('workspaces.declineInvitation', { as: MARY }),
  turn('workspaces.invite', { changes: () => ({}) }),
  turn('workspaces.acceptInvitation', {
    as: MARY,
    changes: ({ answerOf }) => ({ parameters: { id: answerOf('workspaces.invite').id } }),
  }),
  turn('workspaces.invite', {
    changes: () => ({ body: { ...INVITED, email: 'ida@example.com' } }),
  }),
  turn('workspaces.acceptInvitationByToken', {
    as: 'ida@example.com',
    changes: async ({ register, mailTo }) => {
      const token = await mailTo('ida@example.com');
      await register('ida@example.com');
      return { body: { token } };
    },
  }),
  turn('workspaces.invite', {
    changes: () => ({ body: { ...INVITED, email: 'eve@example.com' } }),
  }),
  turn('workspaces.revokeInvitation', {
    changes: ({ answerOf }) => ({ parameters: { id: answerOf('workspaces.invite').id } }),
  }),

  turn('events.createSubscription'),
  ...all('events.listSubscriptions', 'issues.create', 'issues.list', 'issues.get', 'issues.update'),
  turn('events.listDeliveries', { until: (deliveries) => Number(deliveries.length) > 0 }),
  ...all('events.replayDelivery', 'events.replayDeliveries', 'events.updateSubscription'),
  ...all('workspaces.listAudit', 'identity.createApiKey', 'identity.listApiKeys'),
  turn('issues.createExternal', { as: 'key', changes: () => ({}) }),
  turn('runs.startExternal', { as: 'key', changes: () => ({}) }),

  ...all('connections.createAuthCredential', 'connections.listAuthCredentials'),
  ...all('connections.getAuthCredential', 'connections.updateAuthCredential'),
  turn('connections.testAuthCredential', {
    refused: { status: 502, code: 'TARGET_UNREACHABLE', because: OUTSIDE },
  }),
  ...all('connections.createApiDescription', 'connections.listApiDescriptions'),
  ...all('connections.getApiDescription'),
  turn('connections.testApiDescription', {
    refused: { status: 502, code: 'TARGET_UNREACHABLE', because: OUTSIDE },
  }),
  ...all('connections.updateApiDescription', 'configurations.create', 'configurations.list'),
  ...all('configurations.get', 'configurations.update', 'configurations.setProperty'),
  ...all('configurations.getProperties', 'configurations.setFlowCredentials'),
  ...all('configurations.getFlowCredentials'),
  turn('configurations.setPropertiesExternal', { as: 'key' }),
  ...all('configurations.archive', 'configurations.restore', 'configurations.archive'),
  turn('configurations.restoreExternal', { as: 'key' }),

  ...all('workflows.create', 'workflows.list', 'workflows.get', 'workflows.update'),
  ...all('workflows.setSteps', 'workflows.getSteps', 'workflows.getText'),
  turn('runs.execute', { changes: () => ({}) }),
  ...all('runs.listExecutions'),
  turn('runs.getExecution', { changes: executed }),
  turn('runs.cancelExecution', {
    changes: executed,
    refused: { status: 409, code: 'RUN_ENDED', because: 'the steps of the example take no time' },
  }),
  ...all('dev-mode.editStep', 'dev-mode.getStep', 'dev-mode.getBranch', 'dev-mode.listEdits'),
  turn('runs.executeDraft', { changes: () => ({}) }),
  ...all('dev-mode.publish', 'dev-mode.removeStep', 'dev-mode.discard'),

  ...all('triggers.createSchedule', 'triggers.listSchedules', 'triggers.updateSchedule'),
  ...all('triggers.createWebhook', 'triggers.listWebhooks'),
  turn('triggers.receive', {
    as: 'nobody',
    changes: ({ answerOf }) => ({
      parameters: { token: String(answerOf('triggers.createWebhook').url).split('/').at(-1) },
    }),
  }),
  ...all('triggers.removeWebhook', 'triggers.removeSchedule'),

  ...all('recordings.create', 'recordings.list', 'recordings.get', 'recordings.appendEvents'),
  ...all('recordings.pause', 'recordings.resume', 'recordings.finish', 'recordings.getSteps'),
  ...all('recordings.remove', 'assistant.createConversation', 'assistant.listConversations'),
  ...all('assistant.getConversation'),
  turn('assistant.uploadAttachment', { upload: 'tooth,size\n1,2\n' }),
  ...all('assistant.getAttachment', 'assistant.removeAttachment'),
  turn('assistant.sendMessage', {
    refused: { status: 503, code: 'AGENT_NOT_CONFIGURED', because: NO_MODEL },
  }),
  turn('assistant.approve', {
    refused: { status: 503, code: 'AGENT_NOT_CONFIGURED', because: NO_MODEL },
  }),
  ...all('assistant.removeConversation', 'api.mcp'),

  ...all('identity.createServiceAccount', 'identity.listServiceAccounts'),
  ...all('identity.getServiceAccount', 'identity.updateServiceAccount'),
  ...all('identity.rotateServiceAccountSecret'),
  turn('identity.token', {
    as: 'nobody',
    changes: ({ answerOf }) => {
      const { clientId, clientSecret } = answerOf('identity.rotateServiceAccountSecret');
      const credentials = { client_id: clientId, client_secret: clientSecret };
      return { body: { grant_type: 'client_credentials', ...credentials } };
    },
  }),
  ...['createEmailDomain', 'listEmailDomains', 'getEmailDomain', 'updateEmailDomain'].map((name) =>
    turn(`identity.${name}`, { as: 'operator' }),
  ),
  turn('identity.removeEmailDomain', { as: 'operator' }),

  turn('identity.listOutbox', { as: 'nobody' }),
  turn('identity.verifyEmail', {
    changes: async ({ mailTo }) => ({
      body: { token: await mailTo('ada@example.com', 'Verify your e-mail address') },
    }),
  }),
  ...all('identity.changePassword', 'identity.listSessions'),
  turn('identity.refresh', { as: 'nobody', changes: sessionOf('identity.signIn') }),
  turn('identity.updateUser', {
    changes: () => ({
      body: { firstName: 'Ada', lastName: 'King', email: 'ada.king@example.com' },
    }),
  }),
  turn('identity.undoAddressChange', {
    as: 'nobody',
    changes: async ({ mailTo }) => ({
      body: { token: await mailTo('ada@example.com', 'Your e-mail address was changed') },
    }),
  }),
  turn('identity.resetPassword', {
    as: 'nobody',
    changes: async ({ mailTo }) => ({
      body: {
        token: await mailTo('ada@example.com', 'Set a new password'),
        newPassword: 'seven green kettles',
      },
    }),
  }),
  ...['signIn', 'forgotPassword'].map((name) => turn(`identity.${name}`, { as: 'nobody' })),
  turn('identity.updateUser'),
  ...all('identity.rotateApiKey', 'identity.revokeApiKey', 'identity.removeServiceAccount'),
  ...all('runs.cancelRuns'),
  turn('runs.getBulkJob', { until: ({ finishedAt }) => finishedAt !== null }),
  turn('runs.retryRuns', { changes: () => ({}) }),
  turn('runs.start', { changes: () => ({}) }),
  turn('runs.cancel', {
    changes: ({ answerOf }) => ({ parameters: { runId: answerOf('runs.start').id } }),
  }),

  ...all('configurations.removeFlowCredentials', 'connections.removeApiDescription'),
  ...all('connections.removeAuthCredential', 'flows.removeTransformationTest'),
  turn('flows.remove', {
    changes: () => ({ parameters: { cancel: true } }),
  }),
  turn('workflows.remove', { changes: () => ({ parameters: { cancel: true } }) }),
  ...all('issues.remove', 'events.removeSubscription', 'workspaces.remove'),
  turn('identity.endSession', {
    changes: ({ answerOf }) => ({
      parameters: {
        sessionId: (Object.values(answerOf('identity.listSessions')) as { id: string }[])[0]?.id,
      },
    }),
    refused: { status: 404, code: 'NOT_FOUND', because: 'the reset of the password has ended it' },
  }),
  turn('identity.signOut', { as: 'nobody', changes: sessionOf('identity.signIn') }),
  turn('identity.signIn', { as: 'nobody' }),
  turn('identity.removeUser'),
];

/** The execution that the story has made: runs and executions share their ids. */
function executed({ answerOf }: Known): Changes {
  return { parameters: { id: answerOf('runs.execute').id } };
}
