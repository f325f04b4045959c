import { e2e, type Refusable, type Result } from '../../fixtures/e2e.ts';
import { faultOf } from '../../helpers/http.ts';
import { createWorkspace, register } from '../../helpers/people.ts';

type Issue = Result<'issues.get'>;

const { server, owner, stranger, freshWorkspace: workspace } = e2e();

const create = (body: object, by = owner) =>
  by.call<Refusable<Issue>>('POST', workspace.issues, { body });
const raise = async (fields: object = {}): Promise<Issue> => {
  const { status, body } = await create({ title: 'A title', description: 'Text', ...fields });
  expect(status).toBe(201);
  return body;
};
const update = (id: number, body: object, by = owner) =>
  by.call<Refusable<Issue>>('PUT', `${workspace.issues}/${id}`, { body });
const get = (id: number) => owner.call<Refusable<Issue>>('GET', `${workspace.issues}/${id}`);

describe('raising an issue', () => {
  it('answers 201 with exactly the fields of an issue, OPEN and assigned to nobody', async () => {
    const { status, body } = await create({ title: ' Broken ', description: 'a\r\nb' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      title: 'Broken',
      description: 'a\nb',
      status: 'OPEN',
      assignee: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: body.createdAt,
    });
    expect((await get(body.id)).body).toEqual(body);
  });

  it('takes an empty description, and null for nobody', async () => {
    const issue = await raise({ description: '', assignedUserId: null });
    expect([issue.description, issue.assignee]).toEqual(['', null]);
  });

  it('assigns a member', async () => {
    const guest = await workspace.member('GUEST');
    const { assignee } = await raise({ assignedUserId: guest.id });
    expect(assignee).toEqual({
      id: guest.id,
      email: guest.email,
      firstName: 'GUEST',
      lastName: 'Lovelace',
    });
  });

  it('refuses to assign a stranger, nobody known, and a member who is pending', async () => {
    const pending = await register(server.url);
    await owner.call('POST', `${workspace.path}/users`, {
      query: { userEmail: pending.email, role: 'MEMBER' },
    });
    for (const assignedUserId of [stranger.id, 999_999, pending.id]) {
      const refused = await create({ title: 'x', description: '', assignedUserId });
      expect(faultOf(refused)).toEqual([400, ['assignedUserId']]);
    }
    expect((await owner.call('GET', workspace.issues)).body).toEqual([]);
  });
});

describe('changing an issue', () => {
  it('changes what is given and nothing else', async () => {
    const issue = await raise();
    const { status, body } = await update(issue.id, { status: 'RESOLVED' });
    expect(status).toBe(200);
    expect(body).toEqual({ ...issue, status: 'RESOLVED', updatedAt: body.updatedAt });
    expect(body.updatedAt > issue.updatedAt).toBe(true);
    expect((await get(issue.id)).body).toEqual(body);
  });

  it('allows any move of status', async () => {
    const { id } = await raise();
    for (const status of ['CLOSED', 'OPEN', 'RESOLVED', 'IN_PROGRESS', 'CLOSED', 'RESOLVED']) {
      expect((await update(id, { status })).body.status).toBe(status);
    }
  });

  it('takes back what GET answered, and an empty update, and leaves updatedAt', async () => {
    const guest = await workspace.member('GUEST');
    const issue = await raise({ assignedUserId: guest.id });
    for (const body of [issue, {}, { title: issue.title }, { assignedUserId: guest.id }]) {
      const answer = await update(issue.id, body);
      expect([answer.status, answer.body]).toEqual([200, issue]);
    }
  });

  it('takes the assignee as an object when the id is absent', async () => {
    const guest = await workspace.member('GUEST');
    const issue = await raise();
    const shown = await update(issue.id, { ...issue, assignee: { id: guest.id } });
    expect(shown.body.assignee?.id).toBe(guest.id);
    expect((await update(issue.id, { assignee: null })).body.assignee).toBeNull();
    const both = { assignedUserId: guest.id, assignee: { id: guest.id } };
    expect((await update(issue.id, both)).body.assignee?.id).toBe(guest.id);
    expect((await update(issue.id, { assignedUserId: null })).body.assignee).toBeNull();
  });

  it('refuses an assignee and an assignedUserId that contradict each other', async () => {
    const { id } = await raise();
    for (const assignee of [null, { id: owner.id + 1 }]) {
      const refused = await update(id, { assignedUserId: owner.id, assignee });
      expect(faultOf(refused)).toEqual([400, ['assignedUserId']]);
    }
  });

  it('refuses a stranger by the name of the field that named them', async () => {
    const { id } = await raise();
    expect(faultOf(await update(id, { assignedUserId: stranger.id }))).toEqual([
      400,
      ['assignedUserId'],
    ]);
    expect(faultOf(await update(id, { assignee: { id: stranger.id } }))).toEqual([
      400,
      ['assignee.id'],
    ]);
  });

  it('refuses an id or workspaceId that contradicts', async () => {
    const { id } = await raise();
    expect(faultOf(await update(id, { id: id + 1 }))).toEqual([400, ['id']]);
    expect(faultOf(await update(id, { workspaceId: workspace.id + 1 }))).toEqual([
      400,
      ['workspaceId'],
    ]);
    expect((await update(id, { id })).status).toBe(200);
  });

  it('keeps the assignee who has left: it is checked only when it changes', async () => {
    const guest = await workspace.member('GUEST');
    const issue = await raise({ assignedUserId: guest.id });
    await guest.call('DELETE', `${workspace.path}/users`, {
      query: { userEmail: guest.email },
    });
    expect((await get(issue.id)).body).toEqual(issue);
    const closed = await update(issue.id, { ...issue, status: 'CLOSED' });
    expect([closed.status, closed.body.assignee?.id]).toEqual([200, guest.id]);
    await update(issue.id, { assignedUserId: null });
    expect((await update(issue.id, { assignedUserId: guest.id })).status).toBe(400);
  });

  it('loses nothing when several change different fields at once', async () => {
    for (let round = 0; round < 15; round++) {
      const { id } = await raise();
      const changes = {
        title: `Round ${round}`,
        description: `Zebra ${round}`,
        status: 'CLOSED',
        assignedUserId: owner.id,
      };
      await Promise.all(
        Object.entries(changes).map(([key, value]) => update(id, { [key]: value })),
      );
      const { assignedUserId, ...fields } = changes;
      const { body } = await get(id);
      expect(body).toMatchObject({ ...fields, assignee: { id: assignedUserId } });
      const found = await owner.call<Issue[]>('GET', `${workspace.issues}?q=round+zebra+${round}`);
      expect(found.body.map((issue) => issue.id)).toContain(id);
    }
  });
});

describe('deleting an issue', () => {
  it('is 204 without a byte; then it is gone', async () => {
    const { id } = await raise();
    const { status, text } = await owner.call('DELETE', `${workspace.issues}/${id}`);
    expect([status, text]).toEqual([204, '']);
    expect((await get(id)).status).toBe(404);
    expect((await update(id, { title: 'x' })).status).toBe(404);
    expect((await owner.call('DELETE', `${workspace.issues}/${id}`)).status).toBe(404);
  });
});

describe('an issue of another workspace', () => {
  it('is not there', async () => {
    const { id } = await raise();
    const other = await createWorkspace(owner);
    for (const [method, body] of [['GET'], ['PUT', { title: 'x' }], ['DELETE']] as const) {
      const path = `/workspaces/${other}/issues/${id}`;
      const { status } = await owner.call(method, path, body ? { body } : {});
      expect(status).toBe(404);
    }
    expect((await get(id)).status).toBe(200);
  });
});
