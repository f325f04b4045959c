import { SandboxUnavailable } from '@workspace-automation/flow-language';
import { Errors } from 'moleculer';
import { isDatabaseAway } from './database-outage.ts';

const UNAVAILABLE_TYPES = new Set(['SERVICE_NOT_FOUND', 'SERVICE_NOT_AVAILABLE']);

/** Whether an error says that a dependency is unavailable for a while. The work can go on afterwards. */
export function isTransientError(error: unknown): boolean {
  if (isDatabaseAway(error) || error instanceof SandboxUnavailable) return true;
  if (!(error instanceof Errors.MoleculerError)) return false;
  return error.code === 503 || error.code === 504 || UNAVAILABLE_TYPES.has(error.type ?? '');
}
