import { DiagnosticEvent } from '../../support/diagnostic-event.ts';

/** `wrong`: address or password; `limited`: too many attempts; `unavailable`: the queue is full, or a defect or outage. */
export const SIGN_IN_OUTCOMES = ['succeeded', 'wrong', 'limited', 'unavailable'] as const;
export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number];

/** An attempt to sign in with a password has ended. */
export const signInEnded = new DiagnosticEvent<{ outcome: SignInOutcome }>('sign-in-ended');

/** A password is to be hashed or compared, and waits for its turn. */
export const passwordQueued = new DiagnosticEvent<Record<string, never>>('password-queued');

/** `refused`: the queue was full, or the wait took too long. */
export const WAIT_OUTCOMES = ['started', 'refused'] as const;
export type WaitOutcome = (typeof WAIT_OUTCOMES)[number];

/** The wait of a password has ended after `ms` milliseconds. */
export const passwordQueueLeft = new DiagnosticEvent<{
  outcome: WaitOutcome;
  ms: number;
}>('password-queue-left');
