import { isNumeric, toDouble } from '../../bson/numbers.ts';
import { fail, unknownMode } from '../../errors.ts';
import type { Field } from './fields.ts';

/** The members that must be ready to commit an index. A replica set of one member has no second one. */
export const COMMIT_QUORUM: Field = {
  check(value) {
    if (value === 'majority' || value === 'votingMembers') return;
    if (typeof value === 'string') throw unknownMode(value);
    if (!isNumeric(value)) fail('FailedToParse', 'commitQuorum has to be a number or a string');
    const members = isNumeric(value) ? toDouble(value) : 0;
    if (!(members >= 0 && members <= 50))
      fail('FailedToParse', 'commitQuorum has to be a non-negative number and not greater than 50');
    if (members > 1) fail('UnsatisfiableCommitQuorum', 'Not enough data-bearing voting nodes');
  },
};
