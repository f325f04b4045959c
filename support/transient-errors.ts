import { SandboxUnavailable } from '@workspace-automation/flow-language';
import { Errors } from 'moleculer';
import { isDatabaseAway } from './database-outage.ts';

/** The lowest code of errors which say that a service is unavailable, overloaded or late. */
const UNAVAILABLE = 503;

/**
 * Whether an error says that a dependency is unavailable for a while, so that the same work may succeed later. A service
 * that no process has at present is one: another process may have it soon.
 */
export function isTransientError(error: unknown): boolean {
  if (isDatabaseAway(error) || error instanceof SandboxUnavailable) return true;
  if (!(error instanceof Errors.MoleculerError)) return false;
  return error.code >= UNAVAILABLE || isOfTransport(error);
}

/** Whether a call did not get through. An error of a handler is none, although its class calls it retryable. */
const isOfTransport = (error: Errors.MoleculerError): boolean =>
  error instanceof Errors.MoleculerRetryableError &&
  !(error instanceof Errors.MoleculerServerError);
