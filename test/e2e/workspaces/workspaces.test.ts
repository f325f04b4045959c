import { e2e } from '../../fixtures/e2e.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { request } from '../../helpers/http.ts';
import { pagesOf } from '../../helpers/pages.ts';
import {
  addMember,
  createWorkspace,
  type Person,
  register,
  registerVerified,
} from '../../helpers/people.ts';

interface Workspace {
  id: number;
  name: string;
  role?: string;
}

const { server, owner: ada, stranger: eve } = e2e();

const create = (person: Person, name: string) =>
  person.call<Workspace>('POST', '/workspaces', { query: { name } });

describe('creating a workspace', () => {
  it('answers 201 with exactly id and name, the name trimmed', async () => {
    const { status, body } = await create(ada, '  Analytical Engines ');
    expect(status).toBe(201);
    expect(body).toEqual({ id: expect.any(Number), name: 'Analytical Engines' });
  });

  it('says where it can be read', async () => {
    const { headers, body } = await create(ada, 'Found');
    expect(headers.location).toBe(`/workspaces/${body.id}`);
    expect((await ada.call('GET', String(headers.location))).body).toEqual(body);
  });

  it('makes the caller OWNER at once, their address verified or not', async () => {
    const { body } = await create(ada, 'Mine');
    const { body: mine } = await ada.call<Workspace[]>('GET', '/workspaces');
    expect(mine).toContainEqual({ id: body.id, name: 'Mine', role: 'OWNER' });
  });

  it.each([
    ['no name', ''],
    ['an empty name', '?name='],
    ['a blank name', '?name=%20%20'],
    ['a name of 201 characters', `?name=${'x'.repeat(201)}`],
    ['a line break', '?name=a%0Ab'],
    ['a name given twice', '?name=a&name=b'],
    ['NUL', '?name=a%00b'],
    ['bytes that are no UTF-8', '?name=%ff'],
    ['a list', '?name[]=a'],
  ])('refuses %s with 400 that names it', async (_what, search) => {
    const { status, body } = await ada.call<ProblemBody>('POST', `/workspaces${search}`);
    expect(status).toBe(400);
    expect(body.errors?.map((fault) => [fault.in, fault.path])).toContainEqual(['query', 'name']);
  });

  it('reads the name from the query only, and no body at all', async () => {
    const { status, body } = await ada.call<Workspace>('POST', '/workspaces', {
      query: { name: 'From the query' },
      raw: '{"name": "from the bo',
      headers: { 'content-type': 'text/plain' },
    });
    expect([status, body.name]).toEqual([201, 'From the query']);
    expect((await ada.call('POST', '/workspaces', { body: { name: 'x' } })).status).toBe(400);
  });

  it('refuses who shows no token', async () => {
    const { status, headers } = await request(server.url, 'POST', '/workspaces?name=x');
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });
});

describe('the list of workspaces', () => {
  it('is of the caller alone, by id, a page at a time', async () => {
    const owner = await register(server.url, 'Lister');
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push((await create(owner, name)).body.id);
    const pages = await pagesOf<Workspace>(owner, '/workspaces?limit=2');
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    const seen = pages.flat().map(({ id }) => id);
    expect(seen).toEqual([...ids].sort((a, b) => a - b));
  });

  it('shows the role in each', async () => {
    const owner = await register(server.url);
    const workspace = await createWorkspace(owner);
    const guest = await addMember(server.url, owner, workspace, 'GUEST');
    const own = await createWorkspace(guest, 'Own');
    const { body } = await guest.call<Workspace[]>('GET', '/workspaces');
    expect(new Map(body.map(({ id, role }) => [id, role]))).toEqual(
      new Map([
        [workspace, 'GUEST'],
        [own, 'OWNER'],
      ]),
    );
  });

  it.each([
    ['limit', '0'],
    ['limit', '1001'],
    ['limit', '1e2'],
    ['after', 'nonsense'],
    ['after', 'WyJhIl0'],
    ['page', '1'],
  ])('refuses %s=%s with 400 that names it', async (name, value) => {
    const { status, body } = await ada.call<ProblemBody>('GET', `/workspaces?${name}=${value}`);
    expect([status, body.errors?.[0]?.path]).toEqual([400, name]);
  });
});

describe('one workspace', () => {
  let id: number;
  beforeAll(async () => {
    id = await createWorkspace(ada);
  });

  it('is read and renamed, and a PUT of the same name changes nothing', async () => {
    const renamed = await ada.call('PUT', `/workspaces/${id}`, { query: { name: 'Engines' } });
    expect([renamed.status, renamed.body]).toEqual([200, { id, name: 'Engines' }]);
    expect((await ada.call('GET', `/workspaces/${id}`)).body).toEqual({ id, name: 'Engines' });
    const again = await ada.call('PUT', `/workspaces/${id}`, { query: { name: 'Engines' } });
    expect(again.status).toBe(200);
  });

  it('answers a stranger exactly as one that does not exist', async () => {
    const missing = 999_999;
    for (const [method, path, search] of [
      ['GET', '', ''],
      ['PUT', '', '?name=x'],
      ['GET', '/users', ''],
      ['GET', '/permissions', ''],
      ['PUT', '/users/role', '?userEmail=a@b.example&role=GUEST'],
    ] as const) {
      const hidden = await eve.call<ProblemBody>(method, `/workspaces/${id}${path}${search}`);
      const none = await eve.call<ProblemBody>(method, `/workspaces/${missing}${path}${search}`);
      expect([hidden.status, none.status]).toEqual([404, 404]);
      const told = ({ body }: typeof hidden) => ({
        ...body,
        instance: '',
        detail: body.detail.replaceAll(/\d+/g, 'N'),
      });
      expect(told(hidden)).toEqual(told(none));
    }
    expect((await ada.call('GET', `/workspaces/${id}`)).body).toMatchObject({ name: 'Engines' });
  });

  it('tells a stranger nothing by a 400 either', async () => {
    expect((await eve.call('PUT', `/workspaces/${id}?nonsense=1`)).status).toBe(404);
  });

  it.each(['0', '-1', '1e3', '01', '9007199254740993', '%zz', '1.0', '%31', 'x'])(
    'refuses the id %s with 400',
    async (bad) => {
      const { status, body } = await ada.call<ProblemBody>('GET', `/workspaces/${bad}`);
      expect([status, body.errors?.[0]?.in, body.errors?.[0]?.path]).toEqual([400, 'path', 'id']);
    },
  );
});

describe('the permissions of a workspace', () => {
  interface Permissions {
    role: string;
    operations: { operation: string; method: string; path: string }[];
  }

  it('are what the role may call, self-service and open operations included', async () => {
    const owner = await registerVerified(server.url);
    const id = await createWorkspace(owner);
    const guest = await addMember(server.url, owner, id, 'GUEST');
    const { status, body } = await guest.call<Permissions>('GET', `/workspaces/${id}/permissions`);
    expect([status, body.role]).toEqual([200, 'GUEST']);
    const names = body.operations.map(({ operation }) => operation);
    expect(names).toEqual(
      expect.arrayContaining(['workspaces.list', 'workspaces.removeMember', 'issues.create']),
    );
    expect(names).not.toContain('workspaces.rename');
    expect(names).not.toContain('workspaces.roleOf');
    expect(body.operations).toContainEqual({
      operation: 'issues.get',
      method: 'GET',
      path: '/workspaces/{workspaceId}/issues/{issueId}',
    });
    const all = await owner.call<Permissions>('GET', `/workspaces/${id}/permissions`);
    expect(all.body.operations.length).toBeGreaterThan(names.length);
  });
});
