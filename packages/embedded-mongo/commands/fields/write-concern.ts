import { isNumeric, toDouble } from '../../bson/numbers.ts';
import { type Document, isDocument, toDocument, typeName, type Value } from '../../bson/values.ts';
import { fail, MongoError, unknownMode, unsupported } from '../../errors.ts';
import {
  ANY,
  checkFields,
  type Field,
  fieldTable,
  isTrue,
  NUMBER,
  SAFE_BOOL,
  STRING,
} from './fields.ts';

/** The members that a replica set of MongoDB has at most. */
const MAX_MEMBERS = 50;

const W: Field = {
  check(value) {
    if (isDocument(value)) unsupported('A write concern of tags');
    if (isNumeric(value) && !(toDouble(value) >= 0 && toDouble(value) <= MAX_MEMBERS)) {
      fail(
        'FailedToParse',
        `w has to be a non-negative number and not greater than ${MAX_MEMBERS}; found: ${toDouble(value)}`,
      );
    }
    if (value !== null && !isNumeric(value) && typeof value !== 'string')
      fail('FailedToParse', `w has to be a number, string, or object; found: ${typeName(value)}`);
  },
};

const WRITE_CONCERN = fieldTable('writeConcern', {
  w: W,
  j: SAFE_BOOL,
  fsync: SAFE_BOOL,
  wtimeout: NUMBER,
  wElectionId: ANY,
  wOpTime: ANY,
  getLastError: ANY,
  provenance: STRING,
});

/** Checks the write concern of a command. `isAllowed` tells whether the command may have one. */
export function checkWriteConcern(body: Document, isAllowed: boolean): void {
  const concern = body.get('writeConcern');
  if (!isDocument(concern)) return;
  if (!isAllowed) {
    fail(
      'InvalidOptions',
      body.get('autocommit') === false
        ? 'writeConcern is not allowed within a multi-statement transaction'
        : 'Command does not support writeConcern',
    );
  }
  checkFields(WRITE_CONCERN, concern);
  if (isTrue(concern.get('j')) && isTrue(concern.get('fsync')))
    fail('FailedToParse', 'fsync and j options cannot be used together');
}

/** Tells whether a write must be on the disk before the answer: {w: 'majority'} or {j: true}. */
export function isDurable(body: Document): boolean {
  const concern = body.get('writeConcern');
  if (!isDocument(concern)) return false;
  return (
    concern.get('w') === 'majority' || isTrue(concern.get('j')) || isTrue(concern.get('fsync'))
  );
}

/** Returns the error of a write concern that a replica set of one member cannot fulfil: more members, or a mode. */
export function writeConcernErrorOf(body: Document): Document | undefined {
  const concern = body.get('writeConcern');
  if (!isDocument(concern)) return undefined;
  const w = concern.get('w');
  const error = unfulfilled(w);
  if (!error) return undefined;
  const { code, codeName, message } = error;
  const writeConcern = {
    w,
    j: concern.get('j'),
    wtimeout: concern.get('wtimeout') ?? 0,
    provenance: 'clientSupplied',
  };
  return toDocument({ code, codeName, errmsg: message, errInfo: { writeConcern } });
}

function unfulfilled(w: Value | undefined): MongoError | undefined {
  if (typeof w === 'string' && w !== 'majority') return unknownMode(w);
  if (!isNumeric(w) || toDouble(w) <= 1) return undefined;
  return new MongoError('UnsatisfiableWriteConcern', 'Not enough data-bearing nodes');
}
