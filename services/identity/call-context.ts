import type { Caller } from '../../contract/caller.ts';
import type { Client } from '../../contract/client.ts';
import { type Emit, type EventSource, emitterOf } from '../../contract/event.ts';
import {
  logSecurityEvent,
  type Occasion,
  type SecurityEvent,
  type SecurityFields,
} from '../../mixins/security-log.ts';
import type { SignInLimits } from './sessions/sign-in-limits.ts';

/** For whom a use case works, and whom it tells. */
export interface CallContext {
  caller: Caller;
  client: Client;
  emit: Emit;
  limits: SignInLimits;
  /** Writes a security event of this call to the log. */
  log(event: SecurityEvent, fields: SecurityFields): void;
}

/** Calls that no HTTP request caused, such as the operator console's, share one place. */
const NO_CLIENT: Client = Object.freeze({ address: 'none', userAgent: null });

export const callContextOf = (
  ctx: Occasion & EventSource & { meta: { caller: Caller } },
  limits: SignInLimits,
): CallContext => ({
  caller: ctx.meta.caller,
  client: ctx.meta.client ?? NO_CLIENT,
  emit: emitterOf(ctx),
  limits,
  log: (event, fields) => logSecurityEvent(event, ctx, fields),
});
