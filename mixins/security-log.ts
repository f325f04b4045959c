import { type Caller, nameOfCaller } from '../contract/caller.ts';
import type { Client } from '../contract/client.ts';
import { logger } from '../support/logging.ts';

/** The stable names of security events, on which operators set alarms (docs/operations.md). */
export const SECURITY_EVENTS = [
  'account.sign-in-failed',
  'account.locked',
  'account.unlocked',
  'account.email-verified',
  'account.address-changed',
  'account.address-restored',
  'account.deleted',
  'account.password-changed',
  'account.password-reset',
  'account.expired',
  'session.revoked',
  'session.refresh-token-reused',
  'api-key.created',
  'api-key.rotated',
  'api-key.revoked',
  'service-account.created',
  'service-account.secret-rotated',
  'service-account.deleted',
  'service-account.token-refused',
  'invitation.created',
  'invitation.accepted',
  'invitation.declined',
  'invitation.revoked',
  'member.added',
  'member.role-changed',
  'member.removed',
  'workspace.deleted',
] as const;
export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

/** Events that an operator should look at: they are warnings in the log. The others are ordinary changes. */
const SUSPICIOUS: ReadonlySet<SecurityEvent> = new Set([
  'account.sign-in-failed',
  'account.locked',
  'account.address-restored',
  'session.refresh-token-reused',
  'service-account.token-refused',
]);

export type SecurityFields = Readonly<Record<string, string | number | null>>;

/** The call in which a security event happened. */
export interface Occasion {
  meta: { caller?: Caller; client?: Client };
  requestID?: string | null | undefined;
}

/** Writes a security event to the log, with its caller and the address of the client. The fields contain no secret. */
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
