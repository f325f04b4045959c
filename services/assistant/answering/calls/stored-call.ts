import type { StoredCall } from '../answer-record.ts';
import type { CheckedCall } from './asked-calls.ts';

/** A checked call as it is stored before anything is done: a reading call runs at once, a wrong one has failed already. */
export function storedCallOf(call: CheckedCall, id: number, step: number): StoredCall {
  const common = { id, step, arguments: JSON.stringify(call.arguments), reservedId: null };
  if ('outcome' in call) {
    return { ...common, operation: call.operation, ...call.outcome, decidedAt: null };
  }
  const status = call.isReading ? ('RUNNING' as const) : ('WAITING' as const);
  return { ...common, operation: call.tool.operation, status, result: null, decidedAt: null };
}
