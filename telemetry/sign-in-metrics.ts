import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import {
  passwordQueued,
  passwordQueueLeft,
  SIGN_IN_OUTCOMES,
  signInEnded,
  WAIT_OUTCOMES,
} from '../services/identity/identity.diagnostics.ts';

/** Bucket bounds in seconds for waits in the queue of passwords, which end after 5 s. */
const BUCKETS = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * Counts attempts to sign in, and reports the queue of passwords, from the diagnostic events of this process. Each
 * outcome begins with 0: Prometheus sees no increase in the first value of a series.
 */
export function countSignIns(registers: Registry[]): void {
  const signIns = new Counter({
    name: 'sign_ins_total',
    help: 'Attempts to sign in with a password by what became of them',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of SIGN_IN_OUTCOMES) signIns.inc({ outcome }, 0);
  signInEnded.subscribe(({ outcome }) => signIns.inc({ outcome }));

  const waiting = new Gauge({
    name: 'password_queue_waiting',
    help: 'Passwords that wait to be hashed or compared',
    registers,
  });
  const waits = new Histogram({
    name: 'password_queue_wait_seconds',
    help: 'How long passwords waited to be hashed or compared; refused: the queue was full, or the wait took 5 s',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers,
  });
  for (const outcome of WAIT_OUTCOMES) waits.zero({ outcome });
  passwordQueued.subscribe(() => waiting.inc());
  passwordQueueLeft.subscribe(({ outcome, ms }) => {
    waiting.dec();
    waits.observe({ outcome }, ms / 1_000);
  });
}
