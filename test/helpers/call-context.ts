import type { CallContext } from '../../services/identity/call-context.ts';
import { MailOutbox } from '../../services/identity/mail/mail-outbox.ts';
import { SignInLimits } from '../../services/identity/sessions/sign-in-limits.ts';
import { changeContext } from './change-context.ts';

/** The context of an anonymous call from 192.0.2.1, without limits. Events are dropped, and mails stay in the outbox. */
export const testCall = (given: Partial<CallContext> = {}): CallContext => ({
  caller: { kind: 'anonymous' },
  client: { address: '192.0.2.1', userAgent: null },
  emit: async () => undefined,
  limits: new SignInLimits(null),
  changeAs: (actor) =>
    changeContext({ actor, operation: 'identity.verifyEmail', audit: { resource: 'user' } }),
  mails: new MailOutbox({ wake: () => undefined }),
  log: () => undefined,
  ...given,
});
