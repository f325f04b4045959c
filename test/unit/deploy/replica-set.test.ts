import { type Server, setUp, type Wanted } from '../../../deploy/replica-set.ts';

const wanted: Wanted = {
  set: 'rs0',
  members: ['a:27017', 'b:27017', 'c:27017'],
  adminPassword: 'admin secret',
  service: { user: 'service', password: 'service secret', database: 'name' },
};

const refusal = (code: number): Error => Object.assign(new Error(`code ${code}`), { code });

/**
 * A stand-in for a mongod with a key file, as far as its manual describes it: a neighbour who has not
 * signed in may make the set and, while there is no user, the first one. It shows our order and our
 * repeatability, not MongoDB's behaviour.
 */
class Mongod {
  set: unknown = null;
  readonly users = new Map<string, Record<string, unknown>>();
  unreachable = 0;
  asked = 0;

  neighbour: Server = { command: async (_, command) => this.#run(command, this.users.size === 0) };

  signIn = async (user: string, password: string): Promise<Server> => {
    if (this.users.get(user)?.pwd !== password) throw refusal(18);
    return { command: async (_, command) => this.#run(command, true) };
  };

  #run(command: Record<string, unknown>, mayWrite: boolean): Record<string, unknown> {
    const [[name, value] = ['', undefined]] = Object.entries(command);
    if (name === 'hello') return this.#hello();
    if (!mayWrite) throw refusal(13);
    if (name === 'replSetInitiate') return this.#initiate(value);
    const { pwd, roles } = command;
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
  it('makes the set, its administrator and the service with rights on its database alone', async () => {
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
    expect(mongod.users.get('service')).toEqual({
      pwd: 'service secret',
      roles: [{ role: 'readWrite', db: 'name' }],
    });
  });

  it('changes nothing the second time', async () => {
    const mongod = new Mongod();
    await go(mongod);
    const before = structuredClone([mongod.set, mongod.users]);
    await go(mongod);
    expect([mongod.set, mongod.users]).toEqual(before);
  });

  it("sets the service's password anew when its address has another", async () => {
    const mongod = new Mongod();
    await go(mongod);
    await go(mongod, { ...wanted, service: { ...wanted.service, password: 'new' } });
    expect(mongod.users.get('service')).toMatchObject({ pwd: 'new' });
  });

  it('goes on where an earlier attempt ended', async () => {
    const mongod = new Mongod();
    mongod.unreachable = 1;
    await expect(go(mongod)).rejects.toMatchObject({ code: 74 });
    expect(mongod.users.size).toBe(0);
    await go(mongod);
    expect([...mongod.users.keys()]).toEqual(['admin', 'service']);
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
