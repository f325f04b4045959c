import { invalidRequest } from '../../../contract/problem.ts';
import { entryIdPrefix } from '../../../mixins/changes/outbox.ts';

/** The last millisecond that an event's id can hold, less one (RFC 9562, section 5.7: 48 bits). */
const MAX_TIME = 2 ** 48 - 2;

/**
 * The ids of the events between `from` and `to`, both included: ids are in the order of time, so a range of ids is a range
 * of time. Throws 400 when `from` is after `to`.
 */
export function eventIdRange(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  place: 'query' | 'body',
): { $gte: string; $lt: string } {
  const first = from === undefined ? 0 : Date.parse(from);
  const last = to === undefined ? MAX_TIME : Date.parse(to);
  if (from !== undefined && first > last) {
    const message = 'must not be after `to`';
    throw invalidRequest([{ in: place, path: 'from', code: 'after_to', message }]);
  }
  return { $gte: entryIdPrefix(first), $lt: entryIdPrefix(last + 1) };
}
