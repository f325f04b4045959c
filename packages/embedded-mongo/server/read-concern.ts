import { type Document, isDocument } from '../bson/values.ts';
import { fail, unsupported } from '../errors.ts';

const LEVELS = ['local', 'available', 'majority', 'linearizable', 'snapshot'];
const IN_TRANSACTION = ['local', 'majority', 'snapshot'];

/** Checks a read concern. All levels read the same from one file; `snapshot` is allowed in transactions only. */
export function checkReadConcern(body: Document, inTransaction: boolean): void {
  const concern = body.get('readConcern');
  if (!isDocument(concern)) return;
  const level = concern.get('level') ?? 'local';
  if (typeof level !== 'string' || !LEVELS.includes(level))
    fail('FailedToParse', `Unknown read concern level: ${String(level)}`);
  if (concern.has('atClusterTime')) unsupported('Reading at a cluster time');
  if (inTransaction && !IN_TRANSACTION.includes(level as string)) {
    fail(
      'InvalidOptions',
      "The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in order to run in a transaction",
    );
  }
  if (!inTransaction && level === 'snapshot')
    unsupported("The read concern 'snapshot' outside of a transaction");
}
