import { Errors } from 'moleculer';
import { Unavailable } from './problem.ts';

/** Whether the same call may succeed later: its service is away, or something that the service needs. */
export const isServiceAway = (error: unknown): boolean =>
  error instanceof Errors.MoleculerRetryableError ||
  (error instanceof Errors.MoleculerError && error.code >= Unavailable.status);
