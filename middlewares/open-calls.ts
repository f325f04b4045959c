import type { Context, Middleware } from 'moleculer';
import type { ContractedAction } from '../contract/contract-types.ts';
import { deadlineExceeded } from './error-mapping.ts';

type Next = (ctx: Context) => Promise<unknown>;

const open = new Set<(error: Error) => void>();

/**
 * The process has no more time for the calls that are still open, those it works on and those it has
 * made: each is answered with 504 while there is a way to answer. What became of it nobody knows.
 */
export function giveUpOpenCalls(): void {
  for (const reject of open) reject(deadlineExceeded());
}

const untilGivenUp =
  (next: Next): Next =>
  (ctx) =>
    new Promise((resolve, reject) => {
      open.add(reject);
      next(ctx)
        .then(resolve, reject)
        .finally(() => open.delete(reject));
    });

/** Knows every call that is open in this process, so that none is left without an answer when it ends. */
export const OpenCalls = {
  name: 'OpenCalls',
  localAction: (next: Next, action: ContractedAction) =>
    action.contract ? untilGivenUp(next) : next,
  remoteAction: untilGivenUp,
} as unknown as Middleware;
