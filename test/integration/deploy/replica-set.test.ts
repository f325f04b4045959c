import { BACKUP_ROLE, roleOf } from '../../../deploy/mongo-roles.ts';
import { makeUsers, type Server, setUp, type Wanted } from '../../../deploy/replica-set.ts';

const wanted: Wanted = {
  set: 'rs0',
  members: ['a:27017', 'b:27017', 'c:27017'],
  adminPassword: 'admin secret',
  users: [
    { name: 'api', password: 'api secret', role: roleOf('api', 'name') },
    { name: 'issues', password: 'issues secret', role: roleOf('issues', 'name') },
  ],
};

/** The roles of MongoDB itself that are used. */
const BUILT_IN: ReadonlySet<unknown> = new Set(['root', 'backup']);

const refusal = (code: number): Error => Object.assign(new Error(`code ${code}`), { code });

/**
 * A stand-in for a mongod with a key file, as far as its manual describes it: a neighbour who has not
 * signed in may make the set and, while there is no user, the first one. It shows our order and our
 * repeatability, not MongoDB's behaviour.
 */
class Mongod {
  set: unknown = null;
  readonly users = new Map<string, Record<string, unknown>>();
  readonly roles = new Map<string, Record<string, unknown>>();
  unreachable = 0;
  asked = 0;

  neighbour: Server = { command: async (_, command) => this.run(command, this.users.size === 0) };

  signIn = async (user: string, password: string): Promise<Server> => {
    if (this.users.get(user)?.pwd !== password) throw refusal(18);
    return { command: async (_, command) => this.run(command, true) };
  };

  run(command: Record<string, unknown>, mayWrite: boolean): Record<string, unknown> {
    const [[name, value] = ['', undefined]] = Object.entries(command);
    if (name === 'hello') return this.#hello();
    if (!mayWrite) throw refusal(13);
    if (name === 'replSetInitiate') return this.#initiate(value);
    const { pwd, roles, privileges } = command;
    if (name === 'createRole' || name === 'updateRole') {
      const isRole = this.roles.has(String(value));
      if (isRole !== (name === 'updateRole')) throw refusal(isRole ? 51_002 : 31);
      this.roles.set(String(value), { privileges, roles });
      return {};
    }
    const unknown = [roles]
      .flat()
      .filter((role) => !BUILT_IN.has(role) && !this.roles.has(String(role)));
    if (unknown.length) throw refusal(31);
    const isThere = this.users.has(String(value));
    if (name === 'createUser' && isThere) throw refusal(51_003);
    if (name === 'updateUser' && !isThere) throw refusal(11);
    this.users.set(String(value), { pwd, roles });
    return {};
  }

  #hello(): Record<string, unknown> {
    this.asked += 1;
    return this.set ? { setName: 'rs0', isWritablePrimary: this.asked > 3 } : {};
  }

  #initiate(config: unknown): Record<string, unknown> {
    if (this.unreachable-- > 0) throw refusal(74); // NodeNotFound: another member is not up yet
    if (this.set) throw refusal(23);
    this.set = config;
    return {};
  }
}

const go = (mongod: Mongod, what = wanted) =>
  setUp(what, mongod.neighbour, mongod.signIn, { times: 5, everyMs: 1 });

describe('the initialisation of MongoDB', () => {
  it('makes the set, its administrator, and a user for each service with rights on its collections alone', async () => {
    const mongod = new Mongod();
    await go(mongod);
    expect(mongod.set).toEqual({
      _id: 'rs0',
      members: [
        { _id: 0, host: 'a:27017', priority: 2 },
        { _id: 1, host: 'b:27017', priority: 1 },
        { _id: 2, host: 'c:27017', priority: 1 },
      ],
    });
    expect(mongod.users.get('admin')).toEqual({ pwd: 'admin secret', roles: ['root'] });
    expect(mongod.users.get('issues')).toEqual({ pwd: 'issues secret', roles: ['service-issues'] });
    const actions = ['find', 'insert', 'update', 'remove', 'createCollection', 'createIndex'];
    expect(mongod.roles.get('service-issues')).toEqual({
      privileges: ['sequences', 'issue_raises', 'issues', 'issues_erasures'].map((collection) => ({
        resource: { db: 'name', collection },
        actions,
      })),
      roles: [],
    });
    expect(mongod.roles.get('service-api')).toEqual({
      privileges: ['sequences', 'idempotency_records'].map((collection) => ({
        resource: { db: 'name', collection },
        actions,
      })),
      roles: [],
    });
  });

  it('makes the users alone, with that for backups, on a MongoDB that has an administrator', async () => {
    const mongod = new Mongod();
    const users = [...wanted.users, { name: 'backup', password: 'x', role: BACKUP_ROLE }];
    await makeUsers(users, { command: async (_, command) => mongod.run(command, true) });
    expect([...mongod.users.keys()]).toEqual(['api', 'issues', 'backup']);
    expect(mongod.users.get('backup')).toEqual({ pwd: 'x', roles: ['read-for-backup'] });
    expect(mongod.roles.get('read-for-backup')).toEqual({ privileges: [], roles: ['backup'] });
    expect(mongod.set).toBeNull();
  });

  it('changes nothing the second time', async () => {
    const mongod = new Mongod();
    await go(mongod);
    const before = structuredClone([mongod.set, mongod.users, mongod.roles]);
    await go(mongod);
    expect([mongod.set, mongod.users, mongod.roles]).toEqual(before);
  });

  it("sets a service's password and rights anew when they are others", async () => {
    const mongod = new Mongod();
    await go(mongod);
    const role = { name: 'service-api', privileges: [] };
    await go(mongod, { ...wanted, users: [{ name: 'api', password: 'new', role }] });
    expect(mongod.users.get('api')).toMatchObject({ pwd: 'new' });
    expect(mongod.users.get('issues')).toMatchObject({ pwd: 'issues secret' });
    expect(mongod.roles.get('service-api')).toEqual({ privileges: [], roles: [] });
  });

  it('goes on where an earlier attempt ended', async () => {
    const mongod = new Mongod();
    mongod.unreachable = 1;
    await expect(go(mongod)).rejects.toMatchObject({ code: 74 });
    expect(mongod.users.size).toBe(0);
    await go(mongod);
    expect([...mongod.users.keys()]).toEqual(['admin', 'api', 'issues']);
  });

  it('says so when the first member does not become the primary', async () => {
    const mongod = new Mongod();
    mongod.asked = Number.NEGATIVE_INFINITY;
    await expect(go(mongod)).rejects.toThrow(/has not become the primary/);
  });

  it("does not get by without the administrator's password", async () => {
    const mongod = new Mongod();
    await go(mongod);
    await expect(go(mongod, { ...wanted, adminPassword: 'wrong' })).rejects.toMatchObject({
      code: 18,
    });
  });
});
