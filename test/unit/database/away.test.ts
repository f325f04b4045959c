// @ts-expect-error the driver has no types for what it does not export
import { isRetryableReadError, isStateChangeError } from 'mongodb/lib/error.js';
import { mongo } from 'mongoose';
import { isDatabaseAway } from '../../../mixins/failures.ts';

const answered = (code: number) => new mongo.MongoServerError({ message: 'no', code, ok: 0 });
const CODES = Array.from({ length: 15_000 }, (_, code) => code);

describe('a database that is away', () => {
  it('is known by every code that the driver takes for a change of state or tries again for', () => {
    const away = CODES.filter((code) => {
      const error = answered(code);
      return isStateChangeError(error) || isRetryableReadError(error);
    });
    expect(away).toEqual(expect.arrayContaining([10107, 13435, 11602, 189, 91, 11600, 10058]));
    expect(away.filter((code) => !isDatabaseAway(answered(code)))).toEqual([]);
  });

  it.each([11000, 85, 50, 13, 59])(
    'is not what answers with code %i: that is a refusal',
    (code) => {
      expect(isDatabaseAway(answered(code))).toBe(false);
    },
  );

  it('is one that refuses our login', () => {
    expect(isDatabaseAway(answered(18))).toBe(true);
  });
});
