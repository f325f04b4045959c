import { isProblem, NotFound, Problem } from '../../../contract/problem.ts';
import { requestReceived } from '../triggers.diagnostics.ts';
import { SignatureRefused } from '../triggers.problems.ts';

/** Receives a request to a webhook, and publishes what became of the request. */
export async function observeReceipt<T>(receive: () => Promise<T>): Promise<T> {
  try {
    const result = await receive();
    requestReceived.publish({ outcome: 'accepted' });
    return result;
  } catch (error) {
    requestReceived.publish({ outcome: outcomeOf(error) });
    throw error;
  }
}

function outcomeOf(error: unknown): 'unknown' | 'unsigned' | 'refused' | 'failed' {
  if (isProblem(error, NotFound)) return 'unknown';
  if (isProblem(error, SignatureRefused)) return 'unsigned';
  return error instanceof Problem && error.code < 500 ? 'refused' : 'failed';
}
