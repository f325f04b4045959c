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
} from './client.js';
import {
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

const registered = await identityRegister(person);
if (registered.status !== 201) throw new Error('no session');
const token = exactly<string>()(registered.data.accessToken);
const auth = { headers: { Authorization: `Bearer ${token}` } };
const withHeaders = (headers: Record<string, string>) => ({
  headers: { ...auth.headers, ...headers },
});

const made = await workspacesCreate({ name: 'Engines' }, auth);
if (made.status !== 201) throw new Error('no workspace');
const workspaceId = exactly<number>()(made.data.id);

await identityCreateUser({ firstName: 'Grace', lastName: 'Hopper', email: memberEmail }, auth);
const member = await workspacesAddMember(
  workspaceId,
  { userEmail: memberEmail, role: 'MEMBER' },
  auth,
);
if (member.status !== 201) throw new Error('no member');
exactly<Role>()(member.data.role);

const raise = (title: string, key?: string) =>
  issuesCreate(
    workspaceId,
    { title, description: '', assignedUserId: null },
    withHeaders(key ? { 'Idempotency-Key': key } : {}),
  );
const issue = await raise('First', 'key-1');
if (issue.status !== 201) throw new Error('no issue');
exactly<Assignee | null>()(issue.data.assignee);
const again = await raise('First', 'key-1');
await raise('Second');

// Of an operation with several media types the client leaves the type to its caller.
const flow = await flowsCreate(
  { workspaceId, name: 'hello', content: FLOW },
  undefined,
  withHeaders({ 'Content-Type': 'application/json' }),
);
if (flow.status !== 200) throw new Error('no flow');
const run = await runsStart(flow.data.id, { input: { name: 'Ada' } }, { wait: 20_000 }, auth);
if (run.status !== 200) throw new Error('the run has not ended');
exactly<RunStatus>()(run.data.status);
const steps = await runsListSteps(run.data.id, {}, auth);
if (steps.status !== 200) throw new Error('no steps');
exactly<RunError | null | undefined>()(steps.data[0]?.error);
const events = await runsEvents(run.data.id, auth);
if (events.status !== 200) throw new Error('no events');

const pages: string[][] = [];
for (let after: string | undefined, more = true; more; ) {
  const page = await issuesList(workspaceId, { limit: 1, ...(after ? { after } : {}) }, auth);
  if (page.status !== 200) throw new Error('no page');
  pages.push(page.data.map(({ title }) => exactly<string>()(title)));
  after = nextOf(page.headers.get('link'));
  more = after !== undefined;
}

const conversation = await assistantCreateConversation({ workspaceId }, auth);
if (conversation.status !== 201) throw new Error('no conversation');
const attachment = await assistantUploadAttachment(
  conversation.data.id,
  { file: new File(['a,b\n1,2\n'], 'teeth.csv', { type: 'text/csv' }) },
  auth,
);
if (attachment.status !== 201) throw new Error('no attachment');

const missing = await issuesGet(workspaceId, 999_999, auth);
if (missing.status !== 404) throw new Error('no problem');
exactly<Problem>()(missing.data);

const read = await issuesGet(workspaceId, issue.data.id, auth);
const change = (etag: string) =>
  issuesUpdate(
    workspaceId,
    issue.data.id,
    { status: 'IN_PROGRESS' },
    withHeaders({ 'If-Match': etag }),
  );
const stale = await change('"another"');
const changed = await change(given(read.headers.get('etag'), 'ETag'));
if (changed.status !== 200) throw new Error('not changed');

report({
  email,
  workspace: made.data.name,
  member: member.data.email,
  issue: issue.data.title,
  status: run.data.status,
  output: run.data.output,
  steps: steps.data.map(({ name, status }) => `${name} ${status}`),
  events: eventNames(events.data),
  pages,
  upload: attachment.data.name,
  problem: missing.data.code,
  stale: stale.status,
  changed: changed.data.status,
  repeated: again.headers.get('idempotent-replayed') === 'true',
});
