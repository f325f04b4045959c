import { isNumeric, toDouble } from '../bson/numbers.ts';
import { toDocument, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { FIRST_BATCH } from '../sessions/cursors.ts';
import type { Commands, Request } from './request.ts';

/** Returns the batch size of a command's `cursor: {batchSize}`. */
export function batchSizeOf(request: Request, otherwise = FIRST_BATCH): number {
  const size = request.object('cursor').get('batchSize');
  return isNumeric(size) ? Math.trunc(toDouble(size)) : otherwise;
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
      const size = request.count('batchSize') || Number.POSITIVE_INFINITY;
      return request.engine.cursors.more(request, idOf(request.get('getMore')), size);
    },
  },
  killCursors: {
    inTransaction: true,
    run(request) {
      const ids = request.get('cursors');
      const cursorsKilled: bigint[] = [];
      const cursorsNotFound: bigint[] = [];
      for (const id of Array.isArray(ids) ? ids.map(idOf) : []) {
        (request.engine.cursors.kill(id) ? cursorsKilled : cursorsNotFound).push(id);
      }
      return toDocument({ cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] });
    },
  },
};
