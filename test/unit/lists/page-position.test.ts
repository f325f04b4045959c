import { positionInTime, positionOf } from '../../../contract/page-position.ts';
import { cursorOf } from '../../../contract/pages.ts';

const raw = (text: string) => Buffer.from(text).toString('base64url');
const fault = { in: 'query', path: 'after', code: 'invalid_cursor' };
const NAMES_AFTER = { data: { errors: [expect.objectContaining(fault)] } };

it('a list begins at its beginning without a cursor, and behind what a cursor of ours says', () => {
  expect(positionOf({})).toBe(0);
  expect(positionOf({ after: cursorOf(7) })).toBe(7);
  expect(positionInTime({})).toBeNull();
  expect(positionInTime({ after: cursorOf(1_000, 7) })).toEqual({ time: new Date(1_000), id: 7 });
});

it.each(['nonsense', raw('{}'), raw('["7"]'), cursorOf(1, 2)])(
  '%s is no cursor of a list by id',
  (after) => {
    expect(() => positionOf({ after })).toThrow(expect.objectContaining(NAMES_AFTER));
  },
);

it.each([
  'nonsense',
  cursorOf(7),
  raw('["a",1]'),
  raw('[1e99,1]'),
  raw('[1e999,1]'),
  raw('[-1e999,1]'),
])('%s is no cursor of a list by time', (after) => {
  expect(() => positionInTime({ after })).toThrow(expect.objectContaining(NAMES_AFTER));
});
