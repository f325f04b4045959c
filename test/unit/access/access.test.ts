import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import type { Access as AccessRule, Role } from '../../../contract/access-rule.ts';
import type { Caller } from '../../../contract/caller.ts';
import { action, defineContract } from '../../../contract/contract.ts';
import { implementWith, type Loader } from '../../../contract/contract-types.ts';
import { IdText } from '../../../contract/fields.ts';
import { brokerWithAccess, PERSON as person, statusOfCall } from '../../helpers/access-broker.ts';

const HERE = 7;
const ELSEWHERE = 8;
/** The person that is an operator, and an id without a user. */
const OPERATOR_ID = 2;
const UNKNOWN_ID = 9;
const inWorkspace = { parameter: 'workspaceId' };
const member = { who: 'member', roles: ['OWNER', 'ADMIN'], in: inWorkspace } as const;
const read = (access: AccessRule) =>
  action({
    summary: '',
    access,
    path: { workspaceId: IdText },
    query: { userEmail: z.string().optional() },
    result: z.unknown(),
  });
const tool = (roles: readonly Role[]) =>
  action({
    ...read({ who: 'member', roles, in: inWorkspace }),
    route: 'POST /workspaces/:workspaceId/doors',
    tool: { reads: true },
    audit: { none: 'doors are not audited' },
  });
const contract = defineContract('doors', 'Doors', {
  open: read({ who: 'public' }),
  authenticated: read({ who: 'authenticated' }),
  memberOf: read({ who: 'authenticated', memberOf: 'workspaceId' }),
  person: read({ who: 'person' }),
  selfOrOperator: read({ who: 'self-or-operator', parameter: 'workspaceId' }),
  internal: read({ who: 'internal' }),
  secrets: read({ who: 'internal', answersSecrets: true }),
  member: read(member),
  self: read({ ...member, rules: ['self'] }),
  memberOrKey: read({ ...member, keyScope: 'issues:create' }),
  key: read({ who: 'key', scope: 'issues:create', in: inWorkspace }),
  run: read({ who: 'run', in: inWorkspace }),
  toolOfMembers: tool(['OWNER', 'ADMIN', 'MEMBER']),
  toolOfAdmins: tool(['OWNER', 'ADMIN']),
  changingTool: action({ ...tool(['OWNER', 'ADMIN', 'MEMBER']), tool: true }),
});
type Door = keyof typeof contract.actions;

const brokers: ServiceBroker[] = [];
afterAll(() => Promise.all(brokers.map((broker) => broker.stop())));

/** A broker in which user 1 and service account 3 have these roles in workspace 7. */
async function brokerWith(role: Role | null): Promise<ServiceBroker> {
  const broker = brokerWithAccess({
    roleOf: async (userId, id) => (userId === 1 && id === HERE ? role : null),
    roleOfServiceAccount: async (id) => (id === 3 ? role : null),
    isOwnAddress: async () => true,
    accessToUser: async (userId, subjectId) => ({
      operator: userId === OPERATOR_ID,
      exists: subjectId !== UNKNOWN_ID,
    }),
  });
  const show = (ctx: { locals: { role?: Role } }) => ctx.locals.role ?? null;
  const handlers = Object.fromEntries(Object.keys(contract.actions).map((name) => [name, show]));
  const actions = implementWith<object>()(contract, handlers as never);
  broker.createService({ name: 'doors', actions });
  await broker.start();
  brokers.push(broker);
  return broker;
}

const account: Caller = { kind: 'service-account', accountId: 3, name: 'Bot', workspaceId: HERE };
const key: Caller = {
  kind: 'api-key',
  keyId: 4,
  name: 'key',
  workspaceId: HERE,
  scopes: ['issues:create'],
};
const run: Caller = { kind: 'run', runId: 5, workspaceId: HERE };
const anonymous: Caller = { kind: 'anonymous' };
const system: Caller = { kind: 'system', service: 'runs' };
const operator: Caller = { kind: 'operator-console' };
const unknown = { kind: 'robot' } as unknown as Caller;

const statusOf = (broker: ServiceBroker, door: Door, caller: Caller, workspaceId = HERE) =>
  statusOfCall(
    broker.call(`doors.${door}`, { workspaceId, userEmail: 'a@b.cd' }, { meta: { caller } }),
  );

/** The status for each caller: person, account, key, run, anonymous, system, operator, unknown. */
const CALLERS = [person, account, key, run, anonymous, system, operator, unknown];
const MATRIX: Record<Door, number[]> = {
  open: [200, 200, 200, 200, 200, 200, 200, 200],
  authenticated: [200, 200, 403, 403, 401, 200, 200, 403],
  memberOf: [200, 200, 403, 403, 401, 200, 200, 403],
  person: [200, 403, 403, 403, 401, 200, 200, 403],
  selfOrOperator: [403, 403, 403, 403, 401, 200, 200, 403],
  internal: [403, 403, 403, 403, 401, 200, 200, 403],
  secrets: [403, 403, 403, 403, 401, 200, 403, 403],
  member: [200, 200, 401, 401, 401, 200, 200, 403],
  self: [200, 200, 401, 401, 401, 200, 200, 403],
  memberOrKey: [200, 200, 200, 401, 401, 200, 200, 403],
  key: [401, 401, 200, 401, 401, 200, 200, 403],
  run: [401, 401, 401, 200, 401, 200, 200, 403],
  toolOfMembers: [200, 200, 401, 200, 401, 200, 200, 403],
  toolOfAdmins: [200, 200, 401, 401, 401, 200, 200, 403],
  changingTool: [200, 200, 401, 401, 401, 200, 200, 403],
};

describe('a caller of each kind', () => {
  test.each(Object.entries(MATRIX))('at the rule %s', async (door, expected) => {
    const broker = await brokerWith('ADMIN');
    const statuses = await Promise.all(CALLERS.map((who) => statusOf(broker, door as Door, who)));
    expect(statuses).toEqual(expected);
  });

  test('whose role is too low is refused, and everyone may act for themselves', async () => {
    const broker = await brokerWith('GUEST');
    expect(await statusOf(broker, 'member', person)).toBe(403);
    expect(await statusOf(broker, 'member', account)).toBe(403);
    expect(await statusOf(broker, 'self', person)).toBe(200);
    expect(await statusOf(broker, 'self', account)).toBe(403);
  });

  test.each([
    ['no role', HERE, null],
    ['another workspace', ELSEWHERE, 'OWNER'],
  ] as const)('with %s is told that there is no workspace', async (_, workspaceId, role) => {
    const broker = await brokerWith(role);
    for (const door of ['member', 'self', 'memberOf'] as const) {
      expect(await statusOf(broker, door, person, workspaceId)).toBe(404);
      expect(await statusOf(broker, door, account, workspaceId)).toBe(404);
    }
  });
});

test('a user is open to the user and to operators, who alone learn that there is no user', async () => {
  const broker = await brokerWith(null);
  const ofUser = (caller: Caller, id: number) => statusOf(broker, 'selfOrOperator', caller, id);
  const byOperator: Caller = { ...person, userId: OPERATOR_ID };
  expect(await ofUser(person, 1)).toBe(200);
  for (const id of [OPERATOR_ID, UNKNOWN_ID]) expect(await ofUser(person, id)).toBe(403);
  expect(await ofUser(byOperator, 1)).toBe(200);
  for (const caller of [byOperator, system, operator]) {
    expect(await ofUser(caller, UNKNOWN_ID)).toBe(404);
  }
});

describe('a call that is bound to a workspace', () => {
  const boundTo = async (door: Door, onlyWorkspaceId: number, params: object) => {
    const broker = await brokerWith('ADMIN');
    const meta = { caller: person, onlyWorkspaceId };
    return statusOfCall(broker.call(`doors.${door}`, params, { meta }));
  };
  test.each<[Door, number, object, number]>([
    ['member', HERE, { workspaceId: HERE }, 200],
    ['member', ELSEWHERE, { workspaceId: HERE }, 404],
    ['memberOf', HERE, { workspaceId: HERE }, 200],
    ['memberOf', ELSEWHERE, { workspaceId: HERE }, 404],
    ['authenticated', HERE, { workspaceId: HERE }, 400],
    ['person', HERE, { workspaceId: HERE }, 400],
    ['selfOrOperator', HERE, { workspaceId: 1 }, 400],
  ])('%s, bound to %s, with %j, is answered %s', async (door, bound, params, status) => {
    expect(await boundTo(door, bound, params)).toBe(status);
  });
});

test('the role reaches the handler; callers without one have none', async () => {
  const broker = await brokerWith('ADMIN');
  const roleOf = (caller: Caller) =>
    broker.call('doors.member', { workspaceId: HERE }, { meta: { caller } });
  expect(await Promise.all([person, account, system].map(roleOf))).toEqual([
    'ADMIN',
    'ADMIN',
    null,
  ]);
});

test('two brokers in one process share no roles', async () => {
  const [admins, guests] = [await brokerWith('ADMIN'), await brokerWith('GUEST')];
  expect(await statusOf(admins, 'member', person)).toBe(200);
  expect(await statusOf(guests, 'member', person)).toBe(403);
  expect(await statusOf(admins, 'member', person)).toBe(200);
});

describe('a service whose contract names a resource', () => {
  const box = { resource: 'box', parameter: 'id' };
  const start = (access: AccessRule, loaders: Record<string, Loader>) => {
    const boxes = defineContract('boxes', 'Boxes', {
      get: action({ summary: '', access, path: { id: IdText }, result: null }),
    });
    const broker = brokerWithAccess();
    const implement = implementWith<object>();
    const actions = implement(boxes, { get: () => null }, ...([loaders] as unknown as []));
    return () => broker.createService({ name: 'boxes', actions });
  };

  test.each<AccessRule>([
    { who: 'member', roles: ['OWNER'], in: box },
    { who: 'member', roles: ['OWNER'], in: { parameter: 'id' }, within: box },
    { who: 'key', scope: 'flows:run', in: box },
    { who: 'member', roles: ['OWNER'], in: { resource: 'crate', parameter: 'id', loader: 'box' } },
  ])('does not start without its loader: %j', (access) => {
    expect(start(access, {})).toThrow('boxes.get has no loader for the resource "box"');
    expect(start(access, { box: async () => null })).not.toThrow();
  });

  test('does not start with the rule own where it would look at no resource', () => {
    const inBox = { who: 'member', roles: ['OWNER'], rules: ['own'] } as const;
    const load = { box: async () => null };
    expect(start({ ...inBox, in: { parameter: 'id' }, within: box }, load)).toThrow('"own"');
    expect(start({ ...inBox, in: box }, load)).not.toThrow();
  });
});

test('the rule own shows a resource to its creator alone, and none without a creator', async () => {
  const box = { resource: 'box', parameter: 'id' };
  const boxes = defineContract('boxes', 'Boxes', {
    get: action({
      summary: '',
      access: { who: 'member', roles: ['OWNER', 'ADMIN'], in: box, rules: ['own'] },
      path: { id: IdText },
      result: null,
    }),
  });
  const creators = [
    { type: 'person', id: 1 },
    { type: 'service-account', id: 1 },
    { type: 'service-account', id: 3 },
    undefined,
  ];
  const load: Loader = async (id) =>
    ({ workspaceId: HERE, createdBy: creators[id - 1] }) as { workspaceId: number };
  const broker = await brokerWith('ADMIN');
  broker.createService({
    name: 'boxes',
    actions: implementWith<object>()(boxes, { get: () => null }, { box: load }),
  });
  await broker.waitForServices('boxes');
  const statusesOf = (caller: Caller) =>
    Promise.all(
      [1, 2, 3, 4].map((id) =>
        statusOfCall(broker.call('boxes.get', { id }, { meta: { caller } })),
      ),
    );
  expect(await statusesOf(person)).toEqual([200, 404, 404, 404]);
  expect(await statusesOf(account)).toEqual([404, 404, 200, 404]);
});
