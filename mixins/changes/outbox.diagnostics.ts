import { DiagnosticEvent } from '../../support/diagnostic-event.ts';

/**
 * A sweep of this process has looked for the entries that a carrier should have delivered. `oldestMs` is the age of the
 * oldest entry found, 0 for none.
 */
export const outboxSwept = new DiagnosticEvent<{ collection: string; oldestMs: number }>(
  'outbox-swept',
);

/** An action has refused an entry of an outbox of this process. The entry is delivered again later. */
export const entryRefused = new DiagnosticEvent<{ action: string }>('outbox-entry-refused');
