import { isNumeric, toDouble } from '../bson/numbers.ts';
import { toDocument, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { FIRST_BATCH } from '../sessions/cursors.ts';
import type { Commands, Request } from './request.ts';

/** Returns the batch size of a command's `cursor: {batchSize}`. */
export function batchSizeOf(request: Request, otherwise = FIRST_BATCH): number {
  const size = request.object('cursor').get('batchSize');
  if (size === undefined) return otherwise;
  if (!isNumeric(size)) return fail('TypeMismatch', 'cursor.batchSize must be a number');
  return toDouble(size) >= 0
    ? toDouble(size)
    : fail('BadValue', 'cursor.batchSize must not be negative');
}

const idOf = (value: Value | undefined): bigint =>
  typeof value === 'bigint'
    ? value
    : isNumeric(value)
      ? BigInt(Math.trunc(toDouble(value)))
      : fail('TypeMismatch', "BSON field 'getMore.getMore' must be a long");

export const CURSOR_COMMANDS: Commands = {
  getMore: {
    inTransaction: true,
    run(request) {
      request.allow('collection', 'batchSize', 'maxTimeMS', 'term');
      const size = request.count('batchSize') || Number.POSITIVE_INFINITY;
      return request.engine.cursors.more(request, idOf(request.get('getMore')), size);
    },
  },
  killCursors: {
    inTransaction: true,
    run(request) {
      const ids = request.get('cursors');
      if (!Array.isArray(ids))
        return fail(40414, "BSON field 'killCursors.cursors' is missing but a required field");
      const cursorsKilled: bigint[] = [];
      const cursorsNotFound: bigint[] = [];
      for (const id of ids.map(idOf)) {
        (request.engine.cursors.kill(id) ? cursorsKilled : cursorsNotFound).push(id);
      }
      return toDocument({ cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] });
    },
  },
};
