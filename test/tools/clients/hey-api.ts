import { client } from './client/client.gen.js';
import {
  type Assignee,
  assistantCreateConversation,
  assistantUploadAttachment,
  flowsCreate,
  identityCreateUser,
  identityRegister,
  issuesCreate,
  issuesGet,
  issuesList,
  issuesUpdate,
  type Problem,
  type Role,
  type RunError,
  type RunStatus,
  runsEvents,
  runsListSteps,
  runsStart,
  workspacesAddMember,
  workspacesCreate,
} from './client/index.js';
import {
  base,
  email,
  exactly,
  FLOW,
  given,
  memberEmail,
  nextOf,
  person,
  report,
} from './outcome.js';

client.setConfig({ baseUrl: base });

const { data: session } = await identityRegister({ body: person });
if (!session || !('accessToken' in session)) throw new Error('no session');
const token = exactly<string>()(session.accessToken);
client.setConfig({ auth: ({ scheme }) => (scheme === 'bearer' ? token : undefined) });

const { data: made } = await workspacesCreate({ query: { name: 'Engines' } });
const workspace = given(made, 'workspace');
const workspaceId = exactly<number>()(workspace.id);

await identityCreateUser({
  body: { firstName: 'Grace', lastName: 'Hopper', email: memberEmail },
});
const { data: member } = await workspacesAddMember({
  path: { workspaceId },
  query: { userEmail: memberEmail, role: 'MEMBER' },
});
exactly<Role>()(given(member, 'member').role);

const raise = (title: string, key?: string) =>
  issuesCreate({
    path: { workspaceId },
    headers: key ? { 'Idempotency-Key': key } : {},
    body: { title, description: '', assignedUserId: null },
  });
const issue = given((await raise('First', 'key-1')).data, 'issue');
exactly<Assignee | null>()(issue.assignee);
const again = await raise('First', 'key-1');
await raise('Second');

const { data: flow } = await flowsCreate({ body: { workspaceId, name: 'hello', content: FLOW } });
const { data: run } = await runsStart({
  path: { flowId: given(flow, 'flow').id },
  query: { wait: 20_000 },
  body: { input: { name: 'Ada' } },
});
const runId = given(run, 'run').id;
exactly<RunStatus>()(given(run, 'run').status);
const { data: steps = [] } = await runsListSteps({ path: { runId } });
exactly<RunError | null | undefined>()(steps[0]?.error);
const events: string[] = [];
const { stream } = await runsEvents({
  path: { runId },
  onSseEvent: ({ event }) => events.push(given(event, 'event')),
  sseMaxRetryAttempts: 1,
});
for await (const _ of stream) if (events.at(-1) === 'end') break;

const pages: string[][] = [];
for (let after: string | undefined, more = true; more; ) {
  const { data = [], response } = await issuesList({
    path: { workspaceId },
    query: { limit: 1, ...(after ? { after } : {}) },
  });
  pages.push(data.map(({ title }) => exactly<string>()(title)));
  after = nextOf(given(response, 'response').headers.get('link'));
  more = after !== undefined;
}

const { data: conversation } = await assistantCreateConversation({ body: { workspaceId } });
const { data: attachment } = await assistantUploadAttachment({
  path: { id: given(conversation, 'conversation').id },
  body: { file: new File(['a,b\n1,2\n'], 'teeth.csv', { type: 'text/csv' }) },
});

const { error } = await issuesGet({ path: { workspaceId, issueId: 999_999 } });
exactly<Problem | undefined>()(error);

const path = { workspaceId, issueId: issue.id };
const read = await issuesGet({ path });
const change = (etag: string) =>
  issuesUpdate({ path, headers: { 'If-Match': etag }, body: { status: 'IN_PROGRESS' } });
const stale = await change('"another"');
const changed = await change(given(read.response?.headers.get('etag'), 'ETag'));

report({
  email,
  workspace: workspace.name,
  member: given(member, 'member').email,
  issue: issue.title,
  status: given(run, 'run').status,
  output: given(run, 'run').output,
  steps: steps.map(({ name, status }) => `${name} ${status}`),
  events,
  pages,
  upload: given(attachment, 'attachment').name,
  problem: given(error, 'problem').code,
  stale: given(stale.response, 'response').status,
  changed: given(changed.data, 'issue').status,
  repeated: again.response?.headers.get('idempotent-replayed') === 'true',
});
