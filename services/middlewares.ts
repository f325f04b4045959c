import type { Middleware, ServiceBroker } from 'moleculer';
import { environment, isDevelopment } from '../environment.ts';
import { Access, RoleCache } from '../mixins/access.ts';
import { asSystem } from '../mixins/caller.ts';
import { Calls } from '../mixins/calls.ts';
import { Failures } from '../mixins/failures.ts';
import { RemoteCalls } from '../mixins/nats/remote-calls.ts';
import { OpenCalls } from '../mixins/open-calls.ts';
import { Results } from '../mixins/results.ts';
import { TracedCalls } from '../mixins/tracing/calls.ts';
import { Validation } from '../mixins/validation.ts';
import { CallFigures } from '../telemetry/call-figures.ts';
import type { Actions } from './contracts.ts';

let broker: ServiceBroker;
const ask = <N extends keyof Actions & string>(
  name: N,
  params: object,
): Promise<Actions[N]['result']> =>
  broker.call(name, params, asSystem('access')) as Promise<Actions[N]['result']>;

function keepBroker(created: ServiceBroker): void {
  broker = created;
}

/** The roles as this process knows them; `services/workspaces` says when one changes. */
export const roles = new RoleCache(
  async (userId, workspaceId) => (await ask('workspaces.roleOf', { userId, workspaceId })).role,
);

/**
 * What surrounds every action, innermost first: the answer held against the contract, parameters
 * checked, access checked, failures made presentable, none left without an answer; and how calls find
 * who answers them.
 */
export function brokerMiddlewares(): Middleware[] {
  return [
    { name: 'Broker', created: keepBroker } as Middleware,
    ...(isDevelopment ? [Results] : []),
    Validation,
    Access({
      roleOf: (userId, workspaceId) => roles.roleOf(userId, workspaceId),
      isOwnAddress: async (userId, email) =>
        (await ask('identity.isOwnAddress', { userId, email })).own,
    }),
    Failures,
    OpenCalls,
    ...(environment.METRICS_PORT === undefined ? [] : [CallFigures]),
    ...(environment.NATS_URL ? [RemoteCalls()] : []),
    TracedCalls, // around the way that calls take, so that none goes without
    Calls,
  ];
}
