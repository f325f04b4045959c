import { z } from 'zod';
import type { ActionContract } from '../../../contract/contract.ts';
import { ShownOnce } from '../../../contract/fields.ts';
import {
  assertIdempotency,
  sequenceOf,
  takesIdempotencyKey,
} from '../../../contract/idempotency-rule.ts';

const base: ActionContract = {
  summary: 'x',
  route: 'POST /boxes',
  access: { who: 'authenticated' },
  result: z.strictObject({ id: z.int(), secret: ShownOnce, name: z.string() }),
};
const none = { idempotency: { none: 'nothing is stored' } } as const;
const sequence = { idempotency: { sequence: 'boxes' } } as const;

test('every POST takes a key unless its contract gives a reason; no other method does', () => {
  expect(takesIdempotencyKey(base)).toBe(true);
  expect(takesIdempotencyKey({ ...base, ...sequence })).toBe(true);
  expect(takesIdempotencyKey({ ...base, ...none })).toBe(false);
  expect(takesIdempotencyKey({ ...base, route: 'PUT /boxes' })).toBe(false);
  const { route: _route, ...internal } = base;
  expect(takesIdempotencyKey(internal)).toBe(false);
});

test('only a creation reserves an id', () => {
  expect([base, { ...base, ...none }, { ...base, ...sequence }].map(sequenceOf)).toEqual([
    null,
    null,
    'boxes',
  ]);
});

test.each<[string, Partial<ActionContract>, string]>([
  ['a rule on another method', { route: 'PUT /boxes', ...sequence }, 'only a POST'],
  ['a public POST without a reason', { access: { who: 'public' } }, 'why it ignores'],
  ['a creation without a sequence', { status: 201 }, 'name the sequence'],
  ['a secret that cannot be null', { shownOnce: ['name'] }, 'name cannot be null'],
  ['a secret that is no field', { shownOnce: ['nope'] }, 'nope cannot be null'],
])('%s is refused when the service starts', (_what, changes, reason) => {
  const start = () => assertIdempotency('boxes.make', { ...base, ...changes });
  expect(start).toThrow('boxes.make: ');
  expect(start).toThrow(reason);
});

test.each<Partial<ActionContract>>([
  {},
  { status: 201, ...sequence },
  { access: { who: 'public' }, ...none },
  { shownOnce: ['secret'] },
])('%j is allowed', (changes) => {
  expect(() => assertIdempotency('boxes.make', { ...base, ...changes })).not.toThrow();
});
