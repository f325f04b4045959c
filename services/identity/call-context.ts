import type { Caller } from '../../contract/caller.ts';
import type { Client } from '../../contract/client.ts';
import {
  logSecurityEvent,
  type Occasion,
  type SecurityEvent,
  type SecurityFields,
} from '../../mixins/security-log.ts';
import { type Announcer, eventsOf, type IdentityEvents } from './events.ts';
import type { SignInLimits } from './sessions/sign-in-limits.ts';

/** For whom a use case works, and whom it tells. */
export interface CallContext {
  caller: Caller;
  client: Client;
  events: IdentityEvents;
  limits: SignInLimits;
  /** Writes a security event of this call to the log. */
  log(event: SecurityEvent, fields: SecurityFields): void;
}

/** Calls that no HTTP request caused, such as the operator console's, share one place. */
const NO_CLIENT: Client = Object.freeze({ address: 'none', userAgent: null });

export const callContextOf = (
  ctx: Occasion & Announcer & { meta: { caller: Caller } },
  limits: SignInLimits,
): CallContext => ({
  caller: ctx.meta.caller,
  client: ctx.meta.client ?? NO_CLIENT,
  events: eventsOf(ctx),
  limits,
  log: (event, fields) => logSecurityEvent(event, ctx, fields),
});
