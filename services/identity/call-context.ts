import type { Actor, Caller } from '../../contract/caller.ts';
import type { Client } from '../../contract/client.ts';
import { type Emit, type EventSource, emitterOf } from '../../contract/event.ts';
import { type ChangeContext, changeOf } from '../../mixins/changes/change-context.ts';
import {
  logSecurityEvent,
  type Occasion,
  type SecurityEvent,
  type SecurityFields,
} from '../../mixins/security-log.ts';
import type { MailOutbox } from './mail/mail-outbox.ts';
import type { SignInLimits } from './sessions/sign-in-limits.ts';

/** The call of a use case, and the parts of the service for the use case. */
export interface CallContext {
  caller: Caller;
  client: Client;
  emit: Emit;
  limits: SignInLimits;
  mails: MailOutbox;
  /** The context of a change that this call makes in the name of the actor. */
  changeAs(actor: Actor): ChangeContext;
  /** Writes a security event of this call to the log. */
  log(event: SecurityEvent, fields: SecurityFields): void;
}

/** The one client of all calls without an HTTP request, such as calls of the operator console. */
const NO_CLIENT: Client = Object.freeze({ address: 'none', userAgent: null });

export const callContextOf = (
  ctx: Occasion & EventSource & Parameters<typeof changeOf>[0],
  parts: Pick<CallContext, 'limits' | 'mails'>,
): CallContext => ({
  caller: ctx.meta.caller,
  client: ctx.meta.client ?? NO_CLIENT,
  emit: emitterOf(ctx),
  ...parts,
  changeAs: (actor) => changeOf(ctx, actor),
  log: (event, fields) => logSecurityEvent(event, ctx, fields),
});
