import { type Caller, nameOfCaller } from '../contract/caller.ts';
import type { Client } from '../contract/client.ts';
import { logger } from '../support/logging.ts';

/** Names of security events. They are stable: alarms are made of them (docs/operations.md). */
export const SECURITY_EVENTS = [
  'account.sign-in-failed',
  'account.locked',
  'account.email-verified',
  'account.password-changed',
  'account.password-reset',
  'account.expired',
  'session.revoked',
  'session.refresh-token-reused',
  'api-key.created',
  'api-key.revoked',
  'member.added',
  'member.role-changed',
  'member.removed',
] as const;
export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

/** Events that somebody should look at; the others are ordinary changes, told for later. */
const SUSPICIOUS: ReadonlySet<SecurityEvent> = new Set([
  'account.sign-in-failed',
  'account.locked',
  'session.refresh-token-reused',
]);

export type SecurityFields = Readonly<Record<string, string | number | null>>;

/** The call in which something happened. */
export interface Occasion {
  meta: { caller?: Caller; client?: Client };
  requestID?: string | null | undefined;
}

/** Writes a security event to the log, with who caused it and from where. No secret is among the fields. */
export function logSecurityEvent(
  event: SecurityEvent,
  { meta, requestID }: Occasion,
  fields: SecurityFields,
): void {
  const level = SUSPICIOUS.has(event) ? 'warn' : 'info';
  logger[level]({
    event,
    ...fields,
    by: nameOfCaller(meta.caller) ?? null,
    address: meta.client?.address ?? null,
    ...(requestID ? { requestId: requestID } : {}),
  });
}
