import type { Context, Middleware, ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { EVERY_ROLE } from '../../contract/access-rule.ts';
import { asSystem } from '../../contract/caller.ts';
import { action, defineContract } from '../../contract/contract.ts';
import { type ActionsOf, implementWith, type Meta } from '../../contract/contract-types.ts';
import { Id, IdText, listQuery, Name, pageOf } from '../../contract/fields.ts';
import { NotFound } from '../../contract/problem.ts';
import { CallerPropagation } from '../../middlewares/caller-propagation.ts';
import { ErrorMapping } from '../../middlewares/error-mapping.ts';
import { Validation } from '../../middlewares/validation.ts';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { callTool } from '../../services/tools/call-tool.ts';
import { MAX_ANSWER_BYTES } from '../../services/tools/tool-answer.ts';
import { brokerWithAccess, PERSON as person } from '../helpers/access-broker.ts';

const inWorkspace = { parameter: 'workspaceId' };
const ofWorkspace = {
  access: { who: 'member', roles: EVERY_ROLE, in: inWorkspace },
  path: { workspaceId: IdText },
  errors: [NotFound],
} as const;
const Made = z.strictObject({ via: z.string(), actor: z.string(), nested: z.string() });

const boxes = defineContract('boxes', 'Boxes', {
  make: action({
    ...ofWorkspace,
    summary: 'Make a box',
    route: 'POST /workspaces/:workspaceId/boxes',
    tool: true,
    audit: { resource: 'box' },
    body: { name: Name, content: z.unknown().optional() },
    result: Made,
  }),
  list: action({
    ...ofWorkspace,
    summary: 'The boxes of a workspace',
    route: 'GET /workspaces/:workspaceId/boxes',
    tool: true,
    query: { ...listQuery, size: z.int().optional() },
    result: pageOf(z.strictObject({ id: Id, label: z.string() })),
    format: 'page',
  }),
  text: action({
    ...ofWorkspace,
    summary: 'The text of a box',
    route: 'GET /workspaces/:workspaceId/text',
    tool: true,
    etag: { none: '' },
    result: z.string(),
    format: 'text',
  }),
  empty: action({
    ...ofWorkspace,
    summary: 'Empty a box',
    route: 'DELETE /workspaces/:workspaceId/box',
    tool: true,
    etag: { none: '' },
    audit: { resource: 'box' },
    result: null,
  }),
  broken: action({
    ...ofWorkspace,
    summary: 'Fails',
    route: 'GET /workspaces/:workspaceId/broken',
    tool: true,
    etag: { none: '' },
    result: z.string(),
  }),
  viaOf: action({
    summary: 'How a nested change is requested',
    access: { who: 'member', roles: EVERY_ROLE, in: inWorkspace },
    audit: { resource: 'box' },
    path: { workspaceId: IdText },
    result: z.strictObject({ via: z.string() }),
  }),
});
type Actions = ActionsOf<typeof boxes>;

const LABEL = 'a'.repeat(1_000);
const ROWS = 300;
let broker: ServiceBroker;
let calls: string[] = [];
/** The workspaces to which calls are bound, before the access check. */
let bounds: unknown[] = [];

beforeAll(async () => {
  const bound: Middleware = {
    name: 'Bounds',
    localAction: (next: (ctx: Context) => unknown) => (ctx: Context) => {
      bounds.push((ctx.meta as Meta).onlyWorkspaceId);
      return next(ctx);
    },
  } as Middleware;
  broker = brokerWithAccess(
    { roleOf: async (_, id) => (id === 7 ? 'MEMBER' : null) },
    { before: [Validation], after: [ErrorMapping, CallerPropagation, bound] },
  );
  broker.createService({
    name: 'boxes',
    actions: implementWith<Actions>()(boxes, {
      async make(ctx) {
        const { via, actor } = changeOf(ctx);
        const nested = await ctx.call('boxes.viaOf', { workspaceId: 7 });
        const system = await ctx.call('boxes.viaOf', { workspaceId: 7 }, asSystem('boxes'));
        return { via, actor: actor.type, nested: `${nested.via}, ${system.via}` };
      },
      viaOf: (ctx) => ({ via: changeOf(ctx).via }),
      list({ params: { limit, after } }) {
        calls.push(`${limit} ${after}`);
        const from = Number(after ?? 0);
        const count = Math.min(limit, ROWS - from);
        const items = Array.from({ length: count }, (_, at) => ({
          id: from + at + 1,
          label: LABEL,
        }));
        return { items, after: from + count < ROWS ? String(from + count) : null };
      },
      text: () => 'é'.repeat(100_000),
      empty: () => null,
      broken: () => {
        throw new Error('the password is swordfish');
      },
    }),
  });
  await broker.start();
});
afterAll(() => broker.stop());
beforeEach(() => {
  calls = [];
});

const client = { address: '192.0.2.1', userAgent: null };
const call = (
  name: keyof typeof boxes.actions,
  args: unknown,
  caller = person,
  onlyWorkspaceId?: number,
) =>
  callTool(broker, { operation: `boxes.${name}`, contract: boxes.actions[name] }, args, {
    caller,
    client,
    onlyWorkspaceId,
  });
/** The problem of a call that fails. */
async function problemOf(name: keyof typeof boxes.actions, args: unknown) {
  const outcome = await call(name, args);
  if (!outcome.isError) throw new Error(`${name} answered ${outcome.text}`);
  return outcome.problem;
}

test('a change has the caller as its actor and the assistant as its way, also in nested calls', async () => {
  const outcome = await call('make', { workspaceId: 7, name: 'a' });
  const structured = { via: 'assistant', actor: 'person', nested: 'assistant, system' };
  expect(outcome).toEqual({ isError: false, structured, text: JSON.stringify(structured) });
});

test('an empty answer is a sentence', async () => {
  expect(await call('empty', { workspaceId: 7 })).toEqual({
    isError: false,
    structured: null,
    text: 'Done.',
  });
});

test('arguments that do not fit are named, without their place over HTTP', async () => {
  expect(await problemOf('make', { workspaceId: 7, name: '', colour: 'red' })).toEqual({
    code: 'INVALID_REQUEST',
    status: 400,
    title: 'The request is not valid',
    detail: 'name: must have at least 1 character (and 1 more)',
    errors: [
      { path: 'name', code: 'too_small', message: 'must have at least 1 character' },
      { path: 'colour', code: 'unknown_field', message: expect.any(String) },
    ],
  });
});

test.each([
  ['null', null],
  ['a list', [7]],
  ['a text', 'workspaceId: 7'],
])('%s is no object of arguments', async (_, args) => {
  expect(await problemOf('make', args)).toMatchObject({ code: 'INVALID_REQUEST', status: 400 });
});

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
test.each<[string, unknown, string]>([
  ['too deep', deep(40), 'has more than 32 levels of nesting'],
  ['far too deep', JSON.parse('['.repeat(90_000) + ']'.repeat(90_000)), 'levels of nesting'],
  ['too many', Array.from({ length: 10_001 }, () => 1), 'has more than 10000 values'],
  ['too long', 'a'.repeat(256 * 1024), 'may have at most 262144 bytes'],
  ['with NUL', { text: 'a\0b' }, 'content.text: must not contain NUL'],
  ['with __proto__', JSON.parse('{"__proto__":1}'), 'content.__proto__: is not a possible name'],
])('arguments that are %s are refused as a body is', async (_, content, detail) => {
  const args = { workspaceId: 7, name: 'a', content };
  expect((await problemOf('make', args)).detail).toContain(detail);
});

test('a workspace of others is not told from one that does not exist, whatever the other arguments', async () => {
  const [first, second] = await Promise.all([
    problemOf('make', { workspaceId: 8, name: '\0' }),
    problemOf('make', { workspaceId: 999, name: '\0' }),
  ]);
  expect(first).toMatchObject({
    code: 'NOT_FOUND',
    status: 404,
    detail: 'There is no workspace 8.',
  });
  expect(JSON.stringify(first).replaceAll('8', '999')).toBe(JSON.stringify(second));
});

test('what fails inside is told without its message', async () => {
  const problem = await problemOf('broken', { workspaceId: 7 });
  expect(problem).toMatchObject({ code: 'INTERNAL_ERROR', status: 500 });
  expect(JSON.stringify(problem)).not.toContain('swordfish');
});

test('a page that is too long for a model is read again, so that its cursor goes on', async () => {
  const outcome = await call('list', { workspaceId: 7 });
  if (outcome.isError) throw new Error(outcome.problem.detail);
  const { items, after, answerTruncated } = outcome.structured as Record<string, unknown[]>;
  expect(Buffer.byteLength(outcome.text)).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
  expect(items?.length).toBeGreaterThan(50);
  expect(after).toBe(String(items?.length));
  expect(calls).toEqual(['1000 undefined', `${items?.length} undefined`]);
  expect(answerTruncated).toBe(
    `Only ${items?.length} rows fit into an answer: go on with \`after\`, as long as there is one. A narrower call has limit or size.`,
  );
});

test('a page that is read again is bound to its workspace as the first time', async () => {
  calls = [];
  bounds = [];
  await call('list', { workspaceId: 7 }, person, 7);
  expect(calls).toHaveLength(2);
  expect(bounds).toEqual([7, 7]);
  expect((await call('list', { workspaceId: 7 }, person, 8)).isError).toBe(true);
});

test('a page that fits is read once', async () => {
  const outcome = await call('list', { workspaceId: 7, limit: 5, after: '10' });
  expect(outcome).toMatchObject({ isError: false, structured: { after: '15' } });
  expect(calls).toEqual(['5 10']);
});

test('a long text is cut, and the answer says so', async () => {
  const outcome = await call('text', { workspaceId: 7 });
  if (outcome.isError) throw new Error(outcome.problem.detail);
  expect(Buffer.byteLength(outcome.text)).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
  expect(outcome.structured).toEqual({
    text: expect.stringMatching(/^é+…$/),
    answerTruncated: expect.stringMatching(/^text has its first \d+ of 100000 characters\.$/),
  });
});
