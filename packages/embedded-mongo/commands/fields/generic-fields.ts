import { isNumeric, toDouble } from '../../bson/numbers.ts';
import { fail } from '../../errors.ts';
import { ANY, BOOL, COUNT, type Field, LONG, OBJECT, STRING } from './fields.ts';

const MAX_TIME: Field = {
  check(value) {
    if (!isNumeric(value)) return fail('BadValue', 'maxTimeMS must be a number');
    const limit = toDouble(value);
    if (!(limit >= 0 && limit <= 2_147_483_647))
      fail('BadValue', `${limit} value for maxTimeMS is out of range [0, 2147483647]`);
    if (!Number.isInteger(limit)) fail('BadValue', 'maxTimeMS has non-integral value');
  },
};

/** The time limit of aggregate, whose parser checks it first, with other errors. */
export const AGGREGATE_MAX_TIME: Field = {
  check(value, path) {
    COUNT.check?.(value, path);
    MAX_TIME.check?.(value, path);
  },
};

/** Fields that every command may have. */
export const GENERIC: { [field: string]: Field } = {
  $db: STRING,
  apiVersion: STRING,
  apiStrict: BOOL,
  apiDeprecationErrors: BOOL,
  lsid: OBJECT,
  txnNumber: LONG,
  autocommit: BOOL,
  startTransaction: BOOL,
  readConcern: OBJECT,
  writeConcern: OBJECT,
  maxTimeMS: MAX_TIME,
  comment: ANY,
  clientOperationKey: ANY,
  $readPreference: ANY,
  $clusterTime: ANY,
  $audit: ANY,
  $client: ANY,
  $configServerState: ANY,
  mayBypassWriteBlocking: ANY,
};
