import { Errors } from 'moleculer';

/** A call that no process has taken: it has certainly not been carried out, and may be made again. */
export class NoRespondersError extends Errors.MoleculerRetryableError {
  constructor() {
    super('Nobody is there to take the call.', 503, 'SERVICE_NOT_AVAILABLE');
  }
}

/**
 * Whether the call has certainly not been carried out. Moleculer's own two come from a process that is
 * just leaving: what a handler meets of the kind leaves it as a `Problem`.
 */
export const isUndelivered = (error: unknown): boolean =>
  error instanceof NoRespondersError ||
  error instanceof Errors.ServiceNotAvailableError ||
  error instanceof Errors.ServiceNotFoundError;
