import { DateTime } from '../../../contract/fields.ts';
import { dateFields } from '../../e2e/date-fields.ts';
import { operations } from '../../e2e/permissions-matrix.ts';

/** Forms of a time, and the same time as answers have it. */
const FORMS: [string, string][] = [
  ['2026-11-19T10:00:00Z', '2026-11-19T10:00:00.000Z'],
  ['2026-11-19T10:00:00.5Z', '2026-11-19T10:00:00.500Z'],
  ['2026-11-19T10:00:00.123Z', '2026-11-19T10:00:00.123Z'],
  ['2026-11-19T10:00:00.999999Z', '2026-11-19T10:00:00.999Z'],
  ['2026-11-19T10:00:00.123456789Z', '2026-11-19T10:00:00.123Z'],
  ['2026-11-19T10:00:00+01:00', '2026-11-19T09:00:00.000Z'],
  ['2026-11-19T10:00:00.123456+00:00', '2026-11-19T10:00:00.123Z'],
  ['2024-02-29T23:30:00-01:00', '2024-03-01T00:30:00.000Z'],
];

/** Names that times have in this interface. */
const NAME_OF_TIME = /^(?:from|to)$|(?:At|Since|Until|Before|After)$/;
/** Days, a step and an address, which have such names. */
const OTHERS = [
  'runs.statistics from',
  'runs.statistics to',
  'runs.retry from',
  'identity.listOutbox to',
];

test('no field with the name of a time is of another type', () => {
  const named = operations.flatMap(({ name, contract: { query, body } }) =>
    Object.keys({ ...query, ...body })
      .filter((field) => NAME_OF_TIME.test(field))
      .map((field) => `${name} ${field}`),
  );
  const times = dateFields.map(({ operation, name }) => `${operation.name} ${name}`);
  expect(named.sort()).toEqual([...times, ...OTHERS].sort());
});

describe.each(dateFields)('$operation.name $name', ({ type }) => {
  test.each(FORMS)('takes %s', (text, value) => {
    expect(type.parse(text)).toBe(value);
  });
});

describe('no time is', () => {
  test.each([
    ['a day', '2026-11-19'],
    ['a day that does not exist', '2026-02-29T10:00:00Z'],
    ['an hour that does not exist', '2026-11-19T25:00:00Z'],
    ['a local time', '2026-11-19T10:00:00'],
    ['a plus that a query has turned into a space', '2026-11-19T10:00:00 01:00'],
    ['a point without digits', '2026-11-19T10:00:00.Z'],
    ['text around it', ' 2026-11-19T10:00:00Z'],
    ['a year before 0', '0000-01-01T00:00:00+01:00'],
    ['a year after 9999', '9999-12-31T23:59:59-01:00'],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(DateTime.safeParse(text).error?.issues).toEqual([
      expect.objectContaining({ message: expect.stringContaining('2026-01-31T09:30:00Z') }),
    ]);
  });
});
