import { RemoteCalls } from '@workspace-automation/moleculer-nats';
import type { Middleware, ServiceBroker } from 'moleculer';
import { asSystem } from '../contract/caller.ts';
import { environment, isDevelopment } from '../environment/environment.ts';
import type { Actions } from '../services/contracts.ts';
import { Access, RoleCache } from './access.ts';
import { CallFigures } from './call-figures.ts';
import { CallerPropagation } from './caller-propagation.ts';
import { ErrorMapping } from './error-mapping.ts';
import { natsProblems } from './nats-problems.ts';
import { OpenCalls } from './open-calls.ts';
import { ResultValidation } from './result-validation.ts';
import { TracedCalls } from './traced-calls.ts';
import { Validation } from './validation.ts';

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
    ...(isDevelopment ? [ResultValidation] : []),
    Validation,
    Access({
      roleOf: (userId, workspaceId) => roles.roleOf(userId, workspaceId),
      isOwnAddress: async (userId, email) =>
        (await ask('identity.isOwnAddress', { userId, email })).own,
    }),
    ErrorMapping,
    OpenCalls,
    ...(environment.METRICS_PORT === undefined ? [] : [CallFigures]),
    ...(environment.NATS_URL ? [RemoteCalls(natsProblems)] : []),
    TracedCalls, // around the way that calls take, so that none goes without
    CallerPropagation,
  ];
}
