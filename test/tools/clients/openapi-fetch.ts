import createClient from 'openapi-fetch';
import type { components, paths } from './client.js';
import {
  base,
  email,
  eventNames,
  exactly,
  FLOW,
  given,
  memberEmail,
  nextOf,
  person,
  report,
} from './outcome.js';

const client = createClient<paths>({ baseUrl: base });

const { data: session } = await client.POST('/auth/register', { body: person });
if (!session || !('accessToken' in session)) throw new Error('no session');
exactly<string>()(session.accessToken);
client.use({
  onRequest({ request }) {
    request.headers.set('Authorization', `Bearer ${session.accessToken}`);
  },
});

const { data: made } = await client.POST('/workspaces', { params: { query: { name: 'Engines' } } });
const workspace = given(made, 'workspace');
const workspaceId = exactly<number>()(workspace.id);

await client.POST('/users', {
  body: { firstName: 'Grace', lastName: 'Hopper', email: memberEmail },
});
const { data: member } = await client.POST('/workspaces/{workspaceId}/users', {
  params: { path: { workspaceId }, query: { userEmail: memberEmail, role: 'MEMBER' } },
});
exactly<'OWNER' | 'ADMIN' | 'MEMBER' | 'AGENT' | 'GUEST'>()(given(member, 'member').role);

const raise = (title: string, key?: string) =>
  client.POST('/workspaces/{workspaceId}/issues', {
    params: { path: { workspaceId }, ...(key ? { header: { 'Idempotency-Key': key } } : {}) },
    body: { title, description: '', assignedUserId: null },
  });
const issue = given((await raise('First', 'key-1')).data, 'issue');
exactly<components['schemas']['Assignee'] | null>()(issue.assignee);
const again = await raise('First', 'key-1');
await raise('Second');

const { data: flow } = await client.POST('/flows', {
  body: { workspaceId, name: 'hello', content: FLOW },
});
const { data: run } = await client.POST('/flows/{flowId}/runs', {
  params: { path: { flowId: given(flow, 'flow').id }, query: { wait: 20_000 } },
  body: { input: { name: 'Ada' } },
});
const runId = given(run, 'run').id;
exactly<'QUEUED' | 'RUNNING' | 'WAITING' | 'SUCCESS' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT'>()(
  given(run, 'run').status,
);
const { data: steps = [] } = await client.GET('/flows/runs/{runId}/steps', {
  params: { path: { runId } },
});
exactly<components['schemas']['RunError'] | null | undefined>()(steps[0]?.error);
const { data: events } = await client.GET('/flows/runs/{runId}/events', {
  params: { path: { runId } },
  parseAs: 'text',
});

const pages: string[][] = [];
for (let after: string | undefined, more = true; more; ) {
  const { data = [], response } = await client.GET('/workspaces/{workspaceId}/issues', {
    params: { path: { workspaceId }, query: { limit: 1, ...(after ? { after } : {}) } },
  });
  pages.push(data.map(({ title }) => exactly<string>()(title)));
  after = nextOf(response.headers.get('link'));
  more = after !== undefined;
}

const { data: conversation } = await client.POST('/agent/conversations', { body: { workspaceId } });
const { data: attachment } = await client.POST('/agent/conversations/{id}/attachments', {
  params: { path: { id: given(conversation, 'conversation').id } },
  body: { file: 'a,b\n1,2\n' },
  bodySerializer({ file }) {
    const form = new FormData();
    form.append('file', new File([file], 'teeth.csv', { type: 'text/csv' }));
    return form;
  },
});

const { error } = await client.GET('/workspaces/{workspaceId}/issues/{issueId}', {
  params: { path: { workspaceId, issueId: 999_999 } },
});
exactly<components['schemas']['Problem'] | undefined>()(error);

const issueId = issue.id;
const read = await client.GET('/workspaces/{workspaceId}/issues/{issueId}', {
  params: { path: { workspaceId, issueId } },
});
const change = (etag: string) =>
  client.PUT('/workspaces/{workspaceId}/issues/{issueId}', {
    params: { path: { workspaceId, issueId }, header: { 'If-Match': etag } },
    body: { status: 'IN_PROGRESS' },
  });
const stale = await change('"another"');
const changed = await change(given(read.response.headers.get('etag'), 'ETag'));

report({
  email,
  workspace: workspace.name,
  member: given(member, 'member').email,
  issue: issue.title,
  status: given(run, 'run').status,
  output: given(run, 'run').output,
  steps: steps.map(({ name, status }) => `${name} ${status}`),
  events: eventNames(exactly<string>()(given(events, 'events'))),
  pages,
  upload: given(attachment, 'attachment').name,
  problem: given(error, 'problem').code,
  stale: stale.response.status,
  changed: given(changed.data, 'issue').status,
  repeated: again.response.headers.get('idempotent-replayed') === 'true',
});
