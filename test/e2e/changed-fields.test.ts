import type { z } from 'zod';
import type { ActionContract } from '../../contract/contract.ts';
import { contracts } from '../../services/contracts.ts';
import { e2e, made } from '../fixtures/e2e.ts';
import { CHANGED_FIELDS } from './changed-field-samples.ts';
import { makeWorld } from './sample-world.ts';

/** Each optional field of the body of each PUT: a field that the contract takes and the code forgets fails here. */
const optionalFields = contracts.flatMap(({ name, actions }) =>
  Object.entries(actions as Record<string, ActionContract>)
    .filter(([, { route }]) => route?.startsWith('PUT '))
    .flatMap(([action, { body = {} }]) =>
      Object.entries(body)
        .filter(([, type]) => (type as z.ZodType).safeParse(undefined).success)
        .map(([field]) => ({ operation: `${name}.${action}`, field })),
    ),
);

const { server } = e2e();
const world = made(() => makeWorld(server.url));

const isNamed = ({ operation, field }: (typeof optionalFields)[number]) =>
  CHANGED_FIELDS[operation]?.fields[field] !== undefined;

test('every optional field of a PUT has a sample', () => {
  expect(optionalFields.length).toBeGreaterThan(8);
  expect(optionalFields.filter((each) => !isNamed(each))).toEqual([]);
});

const sampled = optionalFields.filter(
  ({ operation, field }) => typeof CHANGED_FIELDS[operation]?.fields[field] === 'function',
);

test.each(sampled)('$operation changes $field, sent alone', async ({ operation, field }) => {
  const { make, fields } = CHANGED_FIELDS[operation] as (typeof CHANGED_FIELDS)[string];
  const sampleOf = fields[field];
  if (typeof sampleOf !== 'function') throw new TypeError(`${field} has no sample`);
  const { value, shown } = await sampleOf(world);
  const { get, put, body, by = world.owner } = await make(world);
  const read = async () => (await by.call<Record<string, unknown>>('GET', get)).body;
  const before = await read();
  const { status, text } = await by.call('PUT', put, {
    body: { ...body, [field]: value },
  });
  expect([status, text]).toEqual([200, expect.anything()]);
  const after = await read();
  if (typeof shown === 'string') return expect(after[shown]).not.toEqual(before[shown]);
  expect(before).not.toMatchObject(shown);
  expect(after).toMatchObject(shown);
});
