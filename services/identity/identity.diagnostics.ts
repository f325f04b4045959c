import { DiagnosticEvent } from '../../support/diagnostic-event.ts';

/** `wrong`: address or password; `limited`: too many attempts; `unavailable`: the queue is full, or a defect or outage. */
export type SignInOutcome = 'succeeded' | 'wrong' | 'limited' | 'unavailable';

/** An attempt to sign in with a password has ended. */
export const signInEnded = new DiagnosticEvent<{ outcome: SignInOutcome }>('sign-in-ended');

/** A password is to be hashed or compared, and waits for its turn. */
export const passwordQueued = new DiagnosticEvent<Record<string, never>>('password-queued');

/** The wait of a password has ended after `ms` milliseconds. */
export const passwordQueueLeft = new DiagnosticEvent<{
  outcome: 'started' | 'refused';
  ms: number;
}>('password-queue-left');
