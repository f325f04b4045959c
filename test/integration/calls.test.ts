import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { z } from 'zod';
import { EVERY_ROLE, type Role } from '../../contract/access-rule.ts';
import { asSystem, type Caller } from '../../contract/caller.ts';
import { action, defineContract } from '../../contract/contract.ts';
import { type ActionsOf, implementWith } from '../../contract/contract-types.ts';
import { IdText } from '../../contract/fields.ts';
import { invalidRequest } from '../../contract/problem.ts';
import { CallerPropagation, InvalidInternalCall } from '../../middlewares/caller-propagation.ts';
import { ErrorMapping } from '../../middlewares/error-mapping.ts';
import { ResultValidation } from '../../middlewares/result-validation.ts';
import { Validation } from '../../middlewares/validation.ts';
import { brokerWithAccess, PERSON as person } from '../helpers/access-broker.ts';

const Who = z.strictObject({ kind: z.string() });
const boxes = defineContract('boxes', 'Boxes', {
  whoAmI: action({ summary: 'Who calls', access: { who: 'internal' }, result: Who }),
  whoAfterNested: action({
    summary: 'Who calls, after a nested call as the service itself',
    access: { who: 'person' },
    result: z.strictObject({ nested: z.string(), own: z.string() }),
  }),
  whoseClient: action({
    summary: 'For which client the call is made',
    access: { who: 'internal' },
    result: z.strictObject({ address: z.string().nullable() }),
  }),
  whoseClientNested: action({
    summary: 'For which client a nested call is made',
    access: { who: 'person' },
    result: z.strictObject({ address: z.string().nullable() }),
  }),
  get: action({
    summary: 'Get a box',
    access: { who: 'member', roles: ['OWNER'], in: { resource: 'box', parameter: 'id' } },
    path: { id: IdText },
    result: z.strictObject({ id: z.int() }),
  }),
  ofWorkspace: action({
    summary: 'The boxes of a workspace',
    access: { who: 'member', roles: EVERY_ROLE, in: { parameter: 'workspaceId' } },
    path: { workspaceId: IdText },
    body: { size: z.int().optional() },
    result: z.strictObject({ size: z.int().nullable() }),
  }),
  asksWrongly: action({
    summary: 'Asks for what is not possible',
    access: { who: 'person' },
    result: Who,
  }),
  passesOn: action({
    summary: 'Asks for what is not possible, and says whose fault it is',
    access: { who: 'person' },
    result: Who,
  }),
  broken: action({ summary: 'Answers too much', access: { who: 'public' }, result: Who }),
  failing: action({ summary: 'Fails inside', access: { who: 'public' }, result: Who }),
});
type Actions = ActionsOf<typeof boxes>;

const roles: Record<number, Role> = { 7: 'OWNER', 8: 'GUEST' };

const WRONG = { workspaceId: 7, size: 'large' as never };

const service: ServiceSchema = {
  name: 'boxes',
  actions: implementWith<Actions>()(
    boxes,
    {
      whoAmI: (ctx) => ({ kind: ctx.meta.caller.kind }),
      async whoAfterNested(ctx) {
        const nested = await ctx.call('boxes.whoAmI', {}, asSystem('boxes'));
        return { nested: nested.kind, own: ctx.meta.caller.kind };
      },
      whoseClient: (ctx) => ({ address: ctx.meta.client?.address ?? null }),
      whoseClientNested: (ctx) => ctx.call('boxes.whoseClient', {}, asSystem('boxes')),
      get: (ctx) => ({ id: ctx.params.id }),
      ofWorkspace: (ctx) => ({ size: ctx.params.size ?? null }),
      asksWrongly: (ctx) => ctx.call('boxes.ofWorkspace', WRONG) as never,
      passesOn: (ctx) =>
        ctx.call('boxes.ofWorkspace', WRONG).catch((error) => {
          throw error instanceof InvalidInternalCall ? invalidRequest(error.faults) : error;
        }) as never,
      broken: () => ({ kind: 'x', secret: 1 }) as never,
      failing: () => {
        throw new Error('driver text');
      },
    },
    { box: async (id) => (id === 404 ? null : { workspaceId: id }) },
  ),
};

let broker: ServiceBroker;
const newBroker = () =>
  brokerWithAccess(
    { roleOf: async (_user, id) => roles[id] ?? null },
    { before: [ResultValidation, Validation], after: [ErrorMapping, CallerPropagation] },
  );

beforeAll(async () => {
  broker = newBroker();
  broker.createService(service);
  await broker.start();
});
afterAll(() => broker.stop());

const call = (name: string, params: object = {}, caller?: Caller) =>
  broker.call(name, params, caller ? { meta: { caller } } : {});
const failureOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'none',
    (error: { code: number; type: string; message: string }) => ({
      status: error.code,
      code: error.type,
    }),
  );

it('refuses a call that carries no caller: forgetting fails closed', async () => {
  expect(await failureOf(call('boxes.whoAfterNested'))).toEqual({
    status: 401,
    code: 'UNAUTHENTICATED',
  });
});

it('leaves the caller who it was after a nested call as the service', async () => {
  expect(await call('boxes.whoAfterNested', {}, person)).toEqual({
    nested: 'system',
    own: 'person',
  });
});

it('hands the client on to nested calls, as the service as well, and back to nobody', async () => {
  const meta = { caller: person, client: { address: '203.0.113.9', userAgent: null } };
  const answer = broker.call('boxes.whoseClientNested', {}, { meta });
  expect(answer).not.toHaveProperty('ctx.meta');
  expect(await answer).toEqual({ address: '203.0.113.9' });
});

it('hands the caller on to nested calls', async () => {
  expect(await failureOf(call('boxes.whoAmI', {}, person))).toEqual({
    status: 403,
    code: 'FORBIDDEN',
  });
});

it.each([
  ['that is not there', 404],
  ['of a workspace that is not the caller’s', 9],
])('answers alike for a resource %s', async (_what, id) => {
  await expect(call('boxes.get', { id }, person)).rejects.toMatchObject({
    code: 404,
    message: `There is no box ${id}.`,
  });
});

it('asks for the role before it validates the rest', async () => {
  const wrong = { size: 'large' };
  expect(
    await failureOf(call('boxes.ofWorkspace', { workspaceId: 9, ...wrong }, person)),
  ).toMatchObject({ status: 404 });
  expect(
    await failureOf(call('boxes.ofWorkspace', { workspaceId: 7, ...wrong }, person)),
  ).toMatchObject({ status: 400 });
});

it('lets the operator console call whatever there is', async () => {
  expect(await call('boxes.whoAmI', {}, { kind: 'operator-console' })).toEqual({
    kind: 'operator-console',
  });
});

it('lets nothing of the inside out: an answer beyond the contract and an unexpected error are a bare 500', async () => {
  for (const name of ['boxes.broken', 'boxes.failing']) {
    await expect(call(name)).rejects.toMatchObject({
      code: 500,
      type: 'INTERNAL_ERROR',
      message: 'Something went wrong on our side.',
    });
  }
});

it('answers for what a service asks wrongly of another, unless the service passes it on', async () => {
  expect(await failureOf(call('boxes.ofWorkspace', WRONG, person))).toMatchObject({ status: 400 });
  expect(await failureOf(call('boxes.asksWrongly', {}, person))).toEqual({
    status: 500,
    code: 'INTERNAL_ERROR',
  });
  await expect(call('boxes.passesOn', {}, person)).rejects.toMatchObject({
    code: 400,
    data: { errors: [{ in: 'body', path: 'size' }] },
  });
  const own = broker.call('boxes.ofWorkspace', WRONG, asSystem('boxes'));
  await expect(own).rejects.toBeInstanceOf(InvalidInternalCall);
});

it.each([
  ['without a contract', { handler: (): null => null }],
  [
    'without an access rule',
    { contract: () => ({ summary: '', result: null }), handler: (): null => null },
  ],
])('does not make a service that has an action %s', (_what, loose) => {
  const other = newBroker();
  expect(() => other.createService({ name: 'loose', actions: { loose } } as never)).toThrow(
    /contract|who may call/,
  );
});

it('keeps contracts off the wire', () => {
  const published = JSON.stringify(broker.registry.getLocalNodeInfo(true));
  expect(published).toContain('boxes.get');
  expect(published).not.toContain('summary');
});
