import { isNumeric, toDouble } from '../../bson/numbers.ts';
import { fail } from '../../errors.ts';
import {
  ANY,
  ARRAY,
  BOOL,
  COLLATION,
  fieldTable,
  HINT,
  OBJECT,
  refused,
  required,
} from './fields.ts';

/** The fields of a statement of update. */
export const UPDATE_STATEMENT = fieldTable('update.updates', {
  q: required(OBJECT),
  u: required(ANY),
  c: OBJECT,
  arrayFilters: ARRAY,
  hint: HINT,
  multi: BOOL,
  upsert: BOOL,
  upsertSupplied: refused('The option upsertSupplied'),
  collation: COLLATION,
});

/** The fields of a statement of delete. */
export const DELETE_STATEMENT = fieldTable('delete.deletes', {
  q: required(OBJECT),
  limit: required({
    check(value) {
      if (!isNumeric(value) || (toDouble(value) !== 0 && toDouble(value) !== 1))
        fail('FailedToParse', 'The limit field in delete objects must be 0 or 1.');
    },
  }),
  hint: HINT,
  collation: COLLATION,
});
