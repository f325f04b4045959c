import { randomBytes } from 'node:crypto';
import { e2e, type Result } from '../fixtures/e2e.ts';
import { Workspace } from '../fixtures/workspace.ts';
import { type ProblemBody, request } from '../helpers/http.ts';
import {
  addMember,
  createWorkspace,
  mailTo,
  PASSWORD,
  type Person,
  register,
  registerVerified,
} from '../helpers/people.ts';
import { createFlow, endOf, type RunAnswer, runToEnd } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';
import { createWorkflow, execute } from '../helpers/workflows.ts';

type User = Result<'identity.getUser'>;

const { server, owner: operator } = e2e({
  env: { OPERATOR_EMAIL_SUFFIXES: 'ops.example', RATE_LIMIT: 'off', SIGN_IN_LIMIT: 'off' },
});

const names = { firstName: 'Ada', lastName: 'Lovelace' };

beforeAll(async () => {
  const email = `${randomBytes(6).toString('hex')}@ops.example`;
  await operator.call('PUT', `/users/${operator.id}`, { body: { ...names, email } });
  const { token } = await mailTo(server.url, email);
  await operator.call('POST', '/auth/email/verify', { body: { token, password: PASSWORD } });
});

const remove = (by: Person, { id }: { id: number }, headers = {}) =>
  by.call<ProblemBody & { workspaceId: number }>('DELETE', `/users/${id}`, { headers });
/** A new workspace of a new owner. */
const newTeam = async () =>
  new Workspace(await registerVerified(server.url, 'Owner'), () => server.url).create();
const statusOf = async (token: string) =>
  (await request(server.url, 'GET', '/auth/me', { token })).status;
const signIn = ({ email }: Person) =>
  request(server.url, 'POST', '/auth/sign-in', { body: { email, password: PASSWORD } });
const exists = async (id: number) =>
  (await operator.call('PUT', `/users/${id}`, { body: {} })).status !== 404;

describe('DELETE /users/{id}', () => {
  it('ends the sessions within a second, and the address is free for another account', async () => {
    const person = await registerVerified(server.url);
    expect(await remove(person, person)).toMatchObject({ status: 204, text: '' });
    await waitFor('the end of the session', async () => (await statusOf(person.token)) === 401);
    expect((await signIn(person)).status).toBe(401);
    const { refreshToken } = person;
    const refreshed = await request(server.url, 'POST', '/auth/refresh', {
      body: { refreshToken },
    });
    expect(refreshed.status).toBe(401);
    const again = await request<{ user: User }>(server.url, 'POST', '/auth/register', {
      body: { email: person.email, password: PASSWORD, ...names },
    });
    expect(again.status).toBe(201);
    expect(again.body.user.id).not.toBe(person.id);
    expect(await exists(person.id)).toBe(false);
    expect((await remove(operator, person)).status).toBe(404);
  });

  it('is 403 for every other id, 404 of an unknown one for an operator alone', async () => {
    const [person, other] = [await register(server.url), await register(server.url)];
    for (const id of [other.id, 987_654_321]) {
      expect((await remove(person, { id })).status).toBe(403);
    }
    expect((await remove(operator, { id: 987_654_321 })).status).toBe(404);
    expect((await request(server.url, 'DELETE', `/users/${person.id}`)).status).toBe(401);
    expect(await statusOf(other.token)).toBe(200);
  });

  it('with an ETag that is not the present one is 412 and deletes nothing', async () => {
    const person = await register(server.url);
    expect((await remove(person, person, { 'if-match': '"other"' })).status).toBe(412);
    const { headers } = await person.call('GET', '/users');
    expect((await remove(person, person, { 'if-match': headers.etag ?? '' })).status).toBe(204);
  });

  it('by an operator deletes an account, and a directory entry', async () => {
    const person = await registerVerified(server.url);
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const { body: entry } = await person.call<User>('POST', '/users', {
      body: { ...names, email },
    });
    for (const user of [person, entry]) expect((await remove(operator, user)).status).toBe(204);
    await waitFor('the end of the session', async () => (await statusOf(person.token)) === 401);
    const free = { body: { ...names, email } };
    expect((await operator.call('POST', '/users', free)).status).toBe(201);
  });

  it('is 409 while the user is the only OWNER of a workspace with other members', async () => {
    const team = await newTeam();
    const own = await createWorkspace(team.owner);
    const member = await team.member('MEMBER');
    const { status, body } = await remove(team.owner, team.owner);
    expect([status, body.code, body.workspaceId]).toEqual([409, 'LAST_OWNER', team.id]);
    expect(await statusOf(team.owner.token)).toBe(200);
    expect((await team.owner.call('GET', `/workspaces/${own}`)).status).toBe(200);
    expect((await remove(operator, team.owner)).status).toBe(409);
    await team.remove(team.owner, member.email);
    expect((await remove(team.owner, team.owner)).status).toBe(204);
    expect(await team.sees(member)).toBe(404);
  });

  it('ends the memberships, and leaves the history under the name of a deleted user', async () => {
    const team = await newTeam();
    const person = await team.member('ADMIN');
    const issues = team.issues;
    const body = { title: 'x', description: '', assignedUserId: person.id };
    const { body: issue } = await team.owner.call<{ id: number }>('POST', issues, { body });
    expect((await remove(person, person)).status).toBe(204);
    expect((await team.members()).map(({ id }) => id)).toEqual([team.owner.id]);
    const { body: shown } = await team.owner.call('GET', `${issues}/${issue.id}`);
    const assignee = { id: person.id, email: '', firstName: 'Deleted', lastName: 'User' };
    expect(shown).toMatchObject({ assignee });
    const removal = await waitFor('the audit entry', async () => {
      const { body: entries } = await team.owner.call<{ operation: string; actor: object }[]>(
        'GET',
        `${team.path}/audit-log`,
      );
      return entries.find(({ operation }) => operation === 'identity.removeUser');
    });
    expect(removal.actor).toEqual({ type: 'person', id: person.id, name: 'Deleted User' });
  });

  it('leaves the name of a deleted user in each run that the user started, in whatever way', async () => {
    const team = await newTeam();
    const person = await team.member('ADMIN');
    const fails = { raise: { error: { type: 'https://example.com/a', status: 500, title: 'a' } } };
    const flowId = await createFlow(person, team.id, JSON.stringify({ do: [{ fails }] }));
    const steps = [{ key: 'a', definition: { set: { x: 1 } } }];
    const workflowId = await createWorkflow(person, team.id, steps);
    const { id } = await runToEnd(person, flowId);
    const { body: execution } = await execute(person, workflowId);
    const retry = { from: 'start', version: 'same' };
    const retried = await person.call<RunAnswer>('POST', `/flows/runs/${id}/retry`, {
      body: retry,
    });
    await endOf(person, retried.body.id);
    await person.call('POST', `/flows/${flowId}/runs/retry`);
    const runsOfFlow = async () =>
      (await team.owner.call<RunAnswer[]>('GET', `/flows/${flowId}/runs`)).body;
    await waitFor('the run of the job', async () => (await runsOfFlow()).length === 3);
    expect((await remove(person, person)).status).toBe(204);
    for (const run of [...(await runsOfFlow()), execution]) {
      const starter = async () =>
        (await team.owner.call<RunAnswer>('GET', `/flows/runs/${run.id}`)).body.startedBy;
      expect(await starter()).toMatchObject({ type: 'person', id: person.id });
      await waitFor('the name', async () => (await starter()).name === 'Deleted User');
    }
  });

  it('gives a new account with the address nothing of the former one', async () => {
    const team = await newTeam();
    const person = await team.member('ADMIN');
    const own = await createWorkspace(person);
    expect((await remove(person, person)).status).toBe(204);
    const { body: session } = await request<{ accessToken: string }>(
      server.url,
      'POST',
      '/auth/register',
      { body: { email: person.email, password: PASSWORD, ...names } },
    );
    const list = await request(server.url, 'GET', '/workspaces', { token: session.accessToken });
    expect(list.body).toEqual([]);
    const gone = await request(server.url, 'GET', `/workspaces/${own}`, {
      token: session.accessToken,
    });
    expect(gone.status).toBe(404);
  });

  it('of two OWNERs at once leaves every workspace with an OWNER', async () => {
    for (let round = 0; round < 3; round++) {
      const owner = await registerVerified(server.url, 'Owner');
      const workspaceId = await createWorkspace(owner);
      const second = await addMember(server.url, owner, workspaceId, 'OWNER');
      const member = await addMember(server.url, owner, workspaceId, 'MEMBER');
      const answers = await Promise.all([owner, second].map((person) => remove(person, person)));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
      const { body } = await member.call<{ role: string }[]>(
        'GET',
        `/workspaces/${workspaceId}/users`,
      );
      expect(body.map(({ role }) => role).sort()).toEqual(['MEMBER', 'OWNER']);
    }
  });

  it('of an OWNER while the other one leaves leaves an OWNER', async () => {
    for (let round = 0; round < 3; round++) {
      const team = await newTeam();
      const [second, member] = [await team.member('OWNER'), await team.member('MEMBER')];
      const [deleted, left] = await Promise.all([
        remove(team.owner, team.owner),
        team.remove(second, second.email),
      ]);
      expect([deleted.status, left.status].sort()).toEqual([204, 409]);
      const roles = (await team.members(member)).map(({ role }) => role);
      expect(roles.sort()).toEqual(['MEMBER', 'OWNER']);
    }
  });
});
