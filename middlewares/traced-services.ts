import type { Caller } from '../contract/caller.ts';
import { SERVICE_NAMES } from '../environment/process.ts';
import { presentService } from '../support/tracing/spans.ts';

const SERVICES: ReadonlySet<string> = new Set(SERVICE_NAMES);

/** The service of an action, by the action's full name. */
export const serviceOfName = (action: string): string => action.slice(0, action.indexOf('.'));

/**
 * The service that makes a call or emits an event: the one that says so, else the one that does the present work.
 * Undefined for work outside spans, such as that of the console.
 */
export function callingService(meta: { caller?: Caller } | undefined): string | undefined {
  const caller = meta?.caller;
  const named = caller?.kind === 'system' && SERVICES.has(caller.service);
  return named ? caller.service : presentService();
}
