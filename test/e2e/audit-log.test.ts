import type { AuditEntry } from '../../contract/audit.ts';
import { e2e } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { pagesOf } from '../helpers/pages.ts';
import type { Person } from '../helpers/people.ts';
import { waitFor } from '../helpers/wait.ts';

const { owner, workspace } = e2e();

let member: Person;

let issueId: number;

/** The entries of the workspace, newest first, as its OWNER reads them. */
async function entries(query: Record<string, string | number> = {}): Promise<AuditEntry[]> {
  const { status, body } = await owner.call<AuditEntry[]>('GET', path(), { query });
  if (status !== 200) throw new Error(`the audit log answered ${status}`);
  return body;
}
const path = () => `${workspace.path}/audit-log`;
const operationsOf = (found: readonly AuditEntry[]) => found.map(({ operation }) => operation);
const issuePath = () => `${workspace.issues}/${issueId}`;

beforeAll(async () => {
  member = await workspace.member('MEMBER');
  const issues = workspace.issues;
  const { body } = await member.call<{ id: number }>('POST', issues, {
    body: { title: 'The engine stands still', description: 'Since noon' },
  });
  issueId = body.id;
  await owner.call('PUT', issuePath(), { body: { status: 'RESOLVED', title: 'It stood still' } });
  await waitFor('the entries', async () => (await entries()).length === 4);
});

test('every change is listed, newest first, with its actor and the names of its fields', async () => {
  const found = await entries();
  expect(operationsOf(found)).toEqual([
    'issues.update',
    'issues.create',
    'workspaces.addMember',
    'workspaces.create',
  ]);
  expect(found[0]).toEqual({
    id: expect.any(String),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    actor: { type: 'person', id: owner.id, name: 'Owner Lovelace' },
    via: 'http',
    operation: 'issues.update',
    resource: { type: 'issue', id: issueId },
    changed: ['title', 'status'],
    requestId: expect.any(String),
  });
});

test('no entry contains a value of a field', async () => {
  expect(JSON.stringify(await entries())).not.toMatch(/stood still|RESOLVED|Since noon/);
});

test('the filters narrow the list, alone and together', async () => {
  const by = async (query: Record<string, string | number>) => operationsOf(await entries(query));
  expect(await by({ actorId: member.id })).toEqual(['issues.create']);
  expect(await by({ actorType: 'api-key' })).toEqual([]);
  expect(await by({ operation: 'issues.update' })).toEqual(['issues.update']);
  expect(await by({ resourceType: 'issue' })).toEqual(['issues.update', 'issues.create']);
  expect(await by({ resourceId: issueId, resourceType: 'issue', actorId: member.id })).toEqual([
    'issues.create',
  ]);
  const [newest, , third] = await entries();
  const [from = '', to = ''] = [third?.at, newest?.at];
  expect(await by({ from, to })).toEqual(await by({ from }));
  expect((await by({ from })).length).toBeGreaterThanOrEqual(3);
  expect(await by({ from: '2100-01-01T00:00:00.000Z' })).toEqual([]);
});

test('a key that creates an issue is the actor of the entry', async () => {
  const { body: key } = await owner.call<{ id: number; key: string }>('POST', '/api-keys', {
    body: { workspaceId: workspace.id, name: 'Form', scopes: ['issues:create'] },
  });
  const external = `${workspace.issues}/external`;
  const headers = { 'x-api-key': key.key };
  await owner.call('POST', external, { headers, body: { title: 'x', description: '' } });
  await waitFor('the entries', async () => (await entries()).length === 6); // that of the new key too
  const [entry] = await entries({ actorType: 'api-key' });
  expect(entry?.actor).toEqual({ type: 'api-key', id: key.id, name: 'Form' });
});

test('pages have no gap and no repetition', async () => {
  const whole = await entries();
  const pages = await pagesOf<AuditEntry>(owner, `${path()}?limit=2`);
  expect(pages.flat()).toEqual(whole);
  expect(pages[0]).toHaveLength(2);
});

test.each([
  ['actorType', 'robot'],
  ['actorId', '0'],
  ['operation', 'update'],
  ['resourceType', 'Issue!'],
  ['resourceId', 'a b'],
  ['from', 'yesterday'],
  ['to', '2026-01-01'],
  ['after', 'W10'],
])('%s=%s is refused and named', async (name, value) => {
  const { status, body } = await owner.call<ProblemBody>('GET', path(), {
    query: { [name]: value },
  });
  expect(status).toBe(400);
  expect(body.errors?.map(({ path: at }) => at)).toEqual([name]);
});

test('from after to is refused', async () => {
  const query = { from: '2026-02-01T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' };
  const { status, body } = await owner.call<ProblemBody>('GET', path(), { query });
  expect([status, body.errors?.[0]?.path]).toEqual([400, 'from']);
});
