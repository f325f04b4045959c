import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import type { Access as AccessRule, Scope } from '../../../contract/access-rule.ts';
import type { Caller } from '../../../contract/caller.ts';
import { action, defineContract } from '../../../contract/contract.ts';
import { implementWith, type Loader, type NamedLoader } from '../../../contract/contract-types.ts';
import { IdText } from '../../../contract/fields.ts';
import type { FieldFault } from '../../../contract/problem.ts';
import { brokerWithAccess, PERSON as person } from '../../helpers/access-broker.ts';

const HERE = 7;
const ELSEWHERE = 8;
/** The workspace that was deleted while its key was still in use. */
const DELETED = 9;
const SCOPE = 'configurations:restore';
/** The boxes by name. Two workspaces have a box of the same name. */
const BOXES = [
  { _id: 1, workspaceId: HERE, name: 'red' },
  { _id: 2, workspaceId: ELSEWHERE, name: 'red' },
  { _id: 3, workspaceId: ELSEWHERE, name: 'blue' },
];

const named = { resource: 'box', parameter: 'name', by: 'name' } as const;
const path = { name: z.string().max(20) };
const boxes = defineContract('boxes', 'Boxes', {
  ofMembers: action({
    summary: '',
    access: { who: 'member', roles: ['OWNER'], in: { parameter: 'workspaceId' }, within: named },
    path: { ...path, workspaceId: IdText },
    result: z.unknown(),
  }),
  ofKeys: action({
    summary: '',
    access: { who: 'key', scope: SCOPE, in: { of: 'key' }, within: named },
    path,
    result: z.unknown(),
  }),
});

const account: Caller = { kind: 'service-account', accountId: 3, name: 'Bot', workspaceId: HERE };
const run: Caller = { kind: 'run', runId: 5, workspaceId: HERE };
const system: Caller = { kind: 'system', service: 'runs' };
const keyOf = (workspaceId: number, scopes: readonly Scope[]): Caller => ({
  kind: 'api-key',
  keyId: 4,
  name: 'key',
  workspaceId,
  scopes,
});

const lookups: [name: string, workspaceId: number][] = [];
const box: NamedLoader = {
  byName: async (name, workspaceId) => {
    lookups.push([name, workspaceId]);
    return BOXES.find((each) => each.name === name && each.workspaceId === workspaceId) ?? null;
  },
};
/** A loader that answers with a box of another workspace than the one asked for. */
const anyBox: NamedLoader = {
  byName: async (name) => BOXES.findLast((each) => each.name === name) ?? null,
};

const brokers: ServiceBroker[] = [];
beforeEach(() => lookups.splice(0));
afterAll(() => Promise.all(brokers.map((broker) => broker.stop())));

async function brokerWith(loader: NamedLoader): Promise<ServiceBroker> {
  const broker = brokerWithAccess({
    roleOf: async (userId, id) => (userId === 1 && id === HERE ? 'OWNER' : null),
    roleOfServiceAccount: async () => 'OWNER',
    workspaceExists: async (id) => id !== DELETED,
  });
  const actions = implementWith<object>()(
    boxes,
    { ofMembers: (ctx) => ctx.locals.resource, ofKeys: (ctx) => ctx.locals.resource },
    { box: loader },
  );
  broker.createService({ name: 'boxes', actions });
  await broker.start();
  brokers.push(broker);
  return broker;
}

interface CallOptions {
  workspaceId?: number;
  faults?: FieldFault[];
  loader?: NamedLoader;
}

/** The resource that reaches the handler, or the status and the detail of the refusal. */
async function answerTo(
  name: keyof typeof boxes.actions,
  caller: Caller,
  boxName: string,
  { workspaceId = HERE, faults, loader = box }: CallOptions = {},
): Promise<unknown> {
  const broker = await brokerWith(loader);
  const params = { name: boxName, ...(name === 'ofMembers' ? { workspaceId } : {}) };
  const meta = { caller, ...(faults ? { faults } : {}) };
  return broker
    .call(`boxes.${name}`, params, { meta })
    .catch(({ code, message }: { code: number; message: string }) => [code, message]);
}

describe('a resource that a parameter names', () => {
  it('is the one of the workspace of the call', async () => {
    expect(await answerTo('ofMembers', person, 'red')).toEqual(BOXES[0]);
    expect(await answerTo('ofMembers', system, 'red', { workspaceId: ELSEWHERE })).toEqual(
      BOXES[1],
    );
    expect(lookups).toEqual([
      ['red', HERE],
      ['red', ELSEWHERE],
    ]);
  });

  it.each(['blue', 'green'])('is missing where another workspace or none has %s', async (name) => {
    expect(await answerTo('ofMembers', person, name)).toEqual([404, `There is no box ${name}.`]);
  });

  it('is missing where its loader finds one of another workspace', async () => {
    const answer = await answerTo('ofMembers', person, 'red', { loader: anyBox });
    expect(answer).toEqual([404, 'There is no box red.']);
  });

  it('is looked up for members only', async () => {
    const answer = await answerTo('ofMembers', person, 'red', { workspaceId: ELSEWHERE });
    expect(answer).toEqual([404, `There is no workspace ${ELSEWHERE}.`]);
    expect(lookups).toEqual([]);
  });

  it('is not looked up by a name that is not valid', async () => {
    const fault: FieldFault = { in: 'path', path: 'name', code: 'invalid', message: 'is no name' };
    expect(await answerTo('ofMembers', person, 'x'.repeat(21))).toBeUndefined();
    expect(await answerTo('ofMembers', person, 'red', { faults: [fault] })).toBeUndefined();
    expect(lookups).toEqual([]);
  });
});

describe('a rule in the workspace of the key', () => {
  it('loads by name within the workspace of the key', async () => {
    expect(await answerTo('ofKeys', keyOf(HERE, [SCOPE]), 'red')).toEqual(BOXES[0]);
    expect(await answerTo('ofKeys', keyOf(ELSEWHERE, [SCOPE]), 'red')).toEqual(BOXES[1]);
    const missing = await answerTo('ofKeys', keyOf(HERE, [SCOPE]), 'blue');
    expect(missing).toEqual([404, 'There is no box blue.']);
  });

  it('asks for the scope before it looks a resource up', async () => {
    const answer = await answerTo('ofKeys', keyOf(HERE, ['issues:create']), 'red');
    expect(answer).toEqual([403, `The key needs the scope ${SCOPE}.`]);
    expect(lookups).toEqual([]);
  });

  it('is 404 for the key of a workspace that is gone', async () => {
    const answer = await answerTo('ofKeys', keyOf(DELETED, [SCOPE]), 'red');
    expect(answer).toEqual([404, `There is no workspace ${DELETED}.`]);
    expect(lookups).toEqual([]);
  });

  it.each([person, account, run, system])(
    'is 401 for callers without a key: %j',
    async (caller) => {
      const answer = await answerTo('ofKeys', caller, 'red');
      expect(answer).toEqual([
        401,
        'A valid API key is needed: X-API-KEY: <key>, or the query parameter api_key.',
      ]);
      expect(lookups).toEqual([]);
    },
  );
});

describe('a service whose contract names a resource by name', () => {
  const loaderById: Loader = async () => null;
  const byId = { resource: 'box', parameter: 'id' };

  test.each<[string, AccessRule, Loader | NamedLoader, boolean]>([
    ['by name with a loader by name', boxes.actions.ofKeys.access, box, true],
    ['by name with a loader by id', boxes.actions.ofKeys.access, loaderById, false],
    ['by id with a loader by id', { who: 'member', roles: ['OWNER'], in: byId }, loaderById, true],
    ['by id with a loader by name', { who: 'member', roles: ['OWNER'], in: byId }, box, false],
  ])('%s', (_case, access, loader, starts) => {
    const contract = defineContract('crates', 'Crates', {
      get: action({ summary: '', access, path: { ...path, id: IdText }, result: null }),
    });
    const implement = implementWith<object>();
    const actions = implement(
      contract,
      { get: () => null },
      ...([{ box: loader }] as unknown as []),
    );
    const broker = brokerWithAccess();
    const create = () => broker.createService({ name: 'crates', actions });
    if (starts) expect(create).not.toThrow();
    else expect(create).toThrow('crates.get has no loader for the resource "box"');
  });
});
