import { type Middleware, ServiceBroker } from 'moleculer';
import type { Caller } from '../../contract/caller.ts';
import { Access } from '../../middlewares/access/access.ts';
import type { AccessSources } from '../../middlewares/access/access-sources.ts';

/** The caller whom the tests of access ask for. */
export const PERSON = {
  kind: 'person',
  userId: 1,
  name: 'Ada',
  sessionId: 's',
} as const satisfies Caller;

/**
 * A broker, not started, whose access check asks these sources: nobody has a role and no person is an operator unless
 * a source says so. The middlewares come before and after the check.
 */
export function brokerWithAccess(
  sources: Partial<AccessSources> = {},
  { before = [], after = [] }: { before?: Middleware[]; after?: Middleware[] } = {},
): ServiceBroker {
  const access = Access(() => ({
    roleOf: async () => null,
    roleOfServiceAccount: async () => null,
    workspaceExists: async () => true,
    isOwnAddress: async () => false,
    accessToUser: async () => ({ operator: false, exists: true }),
    ...sources,
  }));
  const middlewares = [...before, access, ...after];
  return new ServiceBroker({ logger: false, validator: false, middlewares });
}

/** The status of a call: 200, or the code of its refusal. */
export const statusOfCall = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 200,
    (error: { code: number }) => error.code,
  );
