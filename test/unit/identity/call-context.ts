import type { CallContext } from '../../../services/identity/call-context.ts';
import { SignInLimits } from '../../../services/identity/sessions/sign-in-limits.ts';

/** What a use case gets of an anonymous call from 192.0.2.1, without limits; events go nowhere. */
export const testCall = (given: Partial<CallContext> = {}): CallContext => ({
  caller: { kind: 'anonymous' },
  client: { address: '192.0.2.1', userAgent: null },
  emit: async () => undefined,
  limits: new SignInLimits(null),
  log: () => undefined,
  ...given,
});
