import { hasResponder, isNatsUp } from '@workspace-automation/moleculer-nats';
import type { ServiceBroker } from 'moleculer';
import { Problem } from '../../contract/problem.ts';
import { isDatabaseUp } from '../../mixins/database/database.ts';
import { SharedAnswer } from '../../support/shared-answer.ts';
import { contracts } from '../contracts.ts';
import { NotReady } from './api.problems.ts';

type State = 'up' | 'down';
type Dependencies = Record<string, State>;

/** Milliseconds for which one look at the dependencies serves all who ask: anybody may, as often as they like. */
const LOOK_LASTS_MS = 100;

/** The dependencies of this process, looked at ten times a second at most. */
export const sharedDependencies = (broker: ServiceBroker): SharedAnswer<Dependencies> =>
  new SharedAnswer(() => dependenciesOf(broker), LOOK_LASTS_MS);

/** The state of each dependency, or 503 with the same when one is down or the process stops. */
export async function readiness(
  shared: SharedAnswer<Dependencies>,
  draining: boolean,
): Promise<{ status: 'up'; dependencies: Dependencies }> {
  const dependencies = await shared.get();
  const down = Object.keys(dependencies).filter((name) => dependencies[name] === 'down');
  const why = draining ? 'The process is stopping.' : `Down: ${down.join(', ')}.`;
  if (draining || down.length) {
    throw new Problem(NotReady, why, { retryAfter: 1, members: { dependencies } });
  }
  return { status: 'up', dependencies };
}

/** All are asked at once: who asks us waits no longer than for the slowest. */
async function dependenciesOf(broker: ServiceBroker): Promise<Dependencies> {
  const states: [string, Promise<boolean>][] = [
    ['database', isDatabaseUp()],
    ...(broker.transit ? [['nats', isNatsUp(broker)] as [string, Promise<boolean>]] : []),
    ...contracts.map(({ name }) => [name, isServiceUp(broker, name)] as [string, Promise<boolean>]),
  ];
  const all = states.map(async ([name, up]) => [name, (await up) ? 'up' : 'down'] as const);
  return Object.fromEntries(await Promise.all(all));
}

async function isServiceUp(broker: ServiceBroker, service: string): Promise<boolean> {
  if (broker.getLocalService(service)) return true;
  const known = broker.registry.getServiceList({ onlyAvailable: true });
  return known.some(({ name }) => name === service) && (await hasResponder(broker, service));
}
