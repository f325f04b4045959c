import { z } from 'zod';
import type { ActionContract } from '../../../contract/contract.ts';
import { isRunTool } from '../../../contract/run-tool.ts';
import { assertTool, isReadingTool, toolTermsOf } from '../../../contract/tool-rule.ts';
import { operations } from '../../e2e/permissions-matrix.ts';

const reads: ActionContract = {
  summary: '',
  route: 'GET /boxes',
  tool: true,
  access: { who: 'authenticated' },
  result: z.strictObject({ id: z.int() }),
};
const posts: ActionContract = { ...reads, route: 'POST /boxes' };

test.each<[string, ActionContract, string]>([
  ['a route without a rule', { ...reads, tool: undefined as never }, 'does not say'],
  ['no route', { ...reads, route: undefined as never }, 'it has no route'],
  ['a secret in the answer', { ...posts, shownOnce: ['key'] }, 'its answer has a secret'],
  ['no caller', { ...reads, access: { who: 'public' } }, 'it has no caller'],
  ['a request of another protocol', { ...posts, protocol: 'oauth' }, 'a form of its own'],
  ['a stream', { ...reads, format: 'events' }, 'its answer is events'],
  [
    'a reading tool with an audit entry',
    { ...posts, tool: { reads: true }, audit: { resource: 'box' } },
    'it does not only read',
  ],
])('%s is refused', (_, contract, reason) => {
  expect(() => assertTool('boxes.list', contract)).toThrow(reason);
});

test('an operation that is no tool needs a reason only', () => {
  const shows: ActionContract = { ...posts, shownOnce: ['key'], tool: { none: 'it is a secret' } };
  expect(() => assertTool('boxes.make', shows)).not.toThrow();
  expect(() =>
    assertTool('boxes.inner', { ...reads, route: undefined as never, tool: undefined as never }),
  ).not.toThrow();
});

test('no reading tool has an entry in the audit log', () => {
  const reading = operations.filter(({ contract }) => isReadingTool(contract));
  expect(reading.length).toBeGreaterThan(40);
  for (const { name, contract } of reading) {
    expect([name, contract.audit ?? { none: '' }]).toEqual([name, { none: expect.any(String) }]);
  }
});

test('a changing tool that is offered is not marked as a reading one', () => {
  const changing = operations.filter(
    ({ contract }) => toolTermsOf(contract) && contract.audit && 'resource' in contract.audit,
  );
  expect(changing.length).toBeGreaterThan(30);
  expect(changing.filter(({ contract }) => isReadingTool(contract))).toEqual([]);
});

test("the agent of a flow reads what members read, and no person's own resources", () => {
  const ofMembers = {
    ...reads,
    access: { who: 'member', roles: ['MEMBER'], in: { parameter: 'id' } },
  } as const;
  const { access } = ofMembers;
  expect(isRunTool(ofMembers)).toBe(true);
  expect(isRunTool({ ...ofMembers, route: 'POST /boxes' })).toBe(false);
  expect(isRunTool({ ...ofMembers, access: { ...access, roles: ['ADMIN'] } })).toBe(false);
  expect(isRunTool({ ...ofMembers, access: { ...access, rules: ['own'] } })).toBe(false);
  expect(isRunTool(reads)).toBe(false);
});
