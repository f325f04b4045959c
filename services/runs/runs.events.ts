import { z } from 'zod';
import { defineEvent } from '../../contract/event.ts';
import { Id } from '../../contract/fields.ts';

/** A run may be claimed; an event without `runId` is about several runs. */
export const runReady = defineEvent({
  name: 'run.ready',
  payload: z.strictObject({ runId: Id.optional() }),
  delivery: 'broadcast',
});

export const runEnded = defineEvent({
  name: 'run.ended',
  payload: z.strictObject({ runId: Id }),
  delivery: 'broadcast',
});

/** A run that a worker holds was notified of a signal, or of the end of a child run. */
export const runNotified = defineEvent({
  name: 'run.notified',
  payload: z.strictObject({ runId: Id }),
  delivery: 'broadcast',
});

export const runCancelRequested = defineEvent({
  name: 'run.cancel-requested',
  payload: z.strictObject({ runId: Id }),
  delivery: 'broadcast',
});
