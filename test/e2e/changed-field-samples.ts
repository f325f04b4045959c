import { cursorOf } from '../../contract/pages.ts';
import { type Person, registerOperator } from '../helpers/people.ts';
import { createFlow } from '../helpers/runs.ts';
import {
  createAccount,
  createBranch,
  createCredential,
  createDescription,
  createEmptyWorkflow,
  createIssue,
  createSchedule,
  createStore,
  createSubscription,
  createWorkflow,
  FLOW,
  unique,
  WAITING_FLOW,
  type World,
} from './sample-world.ts';

/** A value of a body's field, and what a GET answers then; a text names a field that gets another value. */
interface FieldSample {
  value: unknown;
  shown: object | string;
}

/** What shows the fields that an operation changes, each sent alone. */
interface ChangedFields {
  /** Makes a resource to change; answers the path of its GET, of its PUT, what its PUT needs besides, and who may send it. */
  make(world: World): Promise<{ get: string; put: string; body?: object; by?: Person }>;
  /** By field; a text is the reason why a field changes nothing. */
  fields: Record<string, ((world: World) => FieldSample | Promise<FieldSample>) | string>;
}

/** By operation: every PUT that takes optional fields in its body. */
export const CHANGED_FIELDS: Record<string, ChangedFields> = {
  'identity.updateEmailDomain': {
    async make({ url }) {
      const by = await registerOperator(url);
      const body = { domain: `${unique('domain')}.example` };
      const { body: made } = await by.call<{ id: number }>('POST', '/email-domains', { body });
      const path = `/email-domains/${made.id}`;
      return { get: path, put: path, by };
    },
    fields: {
      domain: () => ({ value: `${unique('other')}.example`, shown: 'domain' }),
      autoJoinWorkspaceId: ({ workspaceId }) => ({
        value: workspaceId,
        shown: { autoJoinWorkspaceId: workspaceId },
      }),
      autoJoinRole: () => ({ value: 'MEMBER', shown: { autoJoinRole: 'MEMBER' } }),
    },
  },
  'workflows.update': {
    async make(world) {
      const { id } = await createEmptyWorkflow(world);
      return { get: `/workflow/${id}`, put: '/workflow', body: { workflowId: id } };
    },
    fields: {
      id: 'it has to be the id of the workflow',
      workspaceId: 'it has to be the workspace of the workflow',
      name: () => ({ value: 'changed', shown: { name: 'changed' } }),
      description: () => ({ value: 'changed', shown: { description: 'changed' } }),
    },
  },
  'triggers.updateSchedule': {
    async make(world) {
      const flowId = await createFlow(world.owner, world.workspaceId, FLOW);
      const { id } = await createSchedule({ ...world, flowId });
      return { get: `/flows/${flowId}/schedules`, put: `/flows/schedules/${id}` };
    },
    fields: {
      flowId: 'it has to be the flow of the schedule',
      cron: () => ({ value: '5 * * * *', shown: [{ cron: '5 * * * *' }] }),
      timeZone: () => ({ value: 'Asia/Tokyo', shown: [{ timeZone: 'Asia/Tokyo' }] }),
      input: () => ({ value: { x: [1] }, shown: [{ input: { x: [1] } }] }),
      configuration: async (world) => {
        const { id } = await createStore(world);
        return { value: id, shown: [{ configuration: id }] };
      },
      misfire: () => ({ value: 'RUN_ALL', shown: [{ misfire: 'RUN_ALL' }] }),
      overlap: () => ({ value: 'SKIP', shown: [{ overlap: 'SKIP' }] }),
      enabled: () => ({ value: false, shown: [{ enabled: false, nextAt: [] }] }),
    },
  },
  'workflows.setSteps': {
    async make(world) {
      const path = `/workflow/${(await createWorkflow(world)).id}/steps`;
      return { get: path, put: path, body: { steps: [] } };
    },
    fields: { expectedRevision: 'it is a condition of the change' },
  },
  'dev-mode.editStep': {
    async make(world) {
      const { id } = await createBranch(world);
      const path = `/dev-mode/branches/${id}/steps/first?workspaceId=${world.workspaceId}`;
      return { get: path, put: path, body: { definition: { set: { x: 'other' } } } };
    },
    fields: {
      position: () => ({ value: 1, shown: { position: 1 } }),
      expectedRevision: 'it is a condition of the change',
    },
  },
  'issues.update': {
    async make(world) {
      const path = `/workspaces/${world.workspaceId}/issues/${(await createIssue(world)).id}`;
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
  'identity.updateServiceAccount': {
    async make(world) {
      const path = `/service-accounts/${(await createAccount(world)).id}`;
      return { get: path, put: path };
    },
    fields: {
      id: 'it has to be the id of the path',
      workspaceId: 'an account stays in its workspace',
      name: () => ({ value: 'changed', shown: { name: 'changed' } }),
    },
  },
  'connections.updateAuthCredential': {
    async make(world) {
      const { id } = await createCredential(world);
      return {
        get: `/auth-credentials/${id}`,
        put: '/auth-credentials',
        body: { authCredentialId: id },
      };
    },
    fields: {
      id: 'it has to be `authCredentialId`',
      workspaceId: 'a credential stays in its workspace',
      name: () => ({ value: 'changed', shown: { name: 'changed' } }),
      allowedOrigins: () => ({
        value: ['https://other.example.com'],
        shown: { allowedOrigins: ['https://other.example.com'] },
      }),
      secret: () => ({
        value: { username: 'ada', password: 'twelve quiet harbours' },
        shown: 'updatedAt',
      }),
    },
  },
  'configurations.update': {
    async make(world) {
      const { id } = await createStore(world);
      return { get: `/configurations/${id}`, put: '/configurations', body: { id } };
    },
    fields: {
      workspaceId: 'a store stays in its workspace',
      externalId: 'it stays as it was created',
      name: () => ({ value: 'changed', shown: { name: 'changed' } }),
      flowCredentialPairs: () => ({ value: [], shown: { flowCredentialPairs: [] } }),
      properties: () => ({ value: [], shown: { properties: [] } }),
    },
  },
  'connections.updateApiDescription': {
    async make(world) {
      const { id } = await createDescription(world);
      return {
        get: `/api-descriptions/${id}`,
        put: '/api-descriptions',
        body: { apiDescriptionId: id },
      };
    },
    fields: {
      id: 'it has to be `apiDescriptionId`',
      url: () => ({
        value: 'https://api.example.com/customers',
        shown: { url: 'https://api.example.com/customers' },
      }),
      methodType: () => ({ value: 'PATCH', shown: { methodType: 'PATCH' } }),
      authCredentialId: async (world) => {
        const { id } = await createCredential(world);
        return { value: id, shown: { authCredentials: { id } } };
      },
      authCredentials: async (world) => {
        const { id } = await createCredential(world);
        return { value: { id }, shown: { authCredentials: { id } } };
      },
      name: () => ({ value: 'changed', shown: { name: 'changed' } }),
      description: () => ({ value: 'changed', shown: { description: 'changed' } }),
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
  'events.updateSubscription': {
    async make(world) {
      const { id } = await createSubscription(world);
      const page = `limit=1&after=${cursorOf(id - 1)}`; // no GET shows a single subscription
      const get = `/workspaces/${world.workspaceId}/event-subscriptions?${page}`;
      return { get, put: `/event-subscriptions/${id}` };
    },
    fields: {
      workspaceId: 'a subscription stays in its workspace',
      url: () => {
        const url = 'https://other.invalid/events';
        return { value: url, shown: [{ url }] };
      },
      events: () => ({ value: ['run.failed'], shown: [{ events: ['run.failed'] }] }),
      enabled: () => ({ value: false, shown: [{ enabled: false }] }),
    },
  },
};
