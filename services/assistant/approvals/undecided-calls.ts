import type { StoredCall } from '../answering/answer-record.ts';

/**
 * The filter of an update that replaces the calls of a message: it finds the message only while all calls that waited
 * when the message was read wait still. So a process that was slow undoes no decision of another.
 */
export function stillUndecided(calls: readonly StoredCall[]) {
  const ids = calls.filter(({ status }) => status === 'WAITING').map(({ id }) => id);
  const decided = { id: { $in: ids }, status: { $ne: 'WAITING' } };
  return { toolCalls: { $not: { $elemMatch: decided } } };
}
