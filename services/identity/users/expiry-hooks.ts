import type { ServiceBroker } from 'moleculer';
import { asSystem } from '../../../contract/caller.ts';
import { emit } from '../../../contract/event.ts';
import { logSecurityEvent } from '../../../mixins/security-log.ts';
import { sessionRevoked } from '../identity.events.ts';
import type { ExpiryHooks } from './expired-accounts.ts';

const AS_IDENTITY = asSystem('identity');

/** Connects the sweep of expired accounts with the other services, the events and the log. */
export const expiryHooksOf = (broker: ServiceBroker): ExpiryHooks => ({
  async hasMemberships(userId) {
    const params = { userId };
    const { named } = await broker.call<{ named: boolean }, typeof params>(
      'workspaces.namesUser',
      params,
      AS_IDENTITY,
    );
    return named;
  },
  onClosed: (userId) => emit(broker, sessionRevoked, { userId }),
  onDeleted: (userId) => logSecurityEvent('account.expired', AS_IDENTITY, { userId }),
});
