import type { ServiceBroker } from 'moleculer';
import { isDatabaseUp } from '../../mixins/database.ts';
import { Problem } from '../../mixins/problem.ts';
import { contracts } from '../contracts.ts';
import { NotReady } from './api.problems.ts';

type State = 'up' | 'down';

/** The state of each dependency, or 503 when one is down. */
export async function readiness(
  broker: ServiceBroker,
  draining: boolean,
): Promise<{ status: 'up'; dependencies: Record<string, State> }> {
  const dependencies: Record<string, State> = { database: (await isDatabaseUp()) ? 'up' : 'down' };
  if (broker.transit) dependencies.nats = broker.transit.tx.connected ? 'up' : 'down';
  const running = new Set(
    broker.registry.getServiceList({ onlyAvailable: true }).map(({ name }) => name),
  );
  for (const { name } of contracts) dependencies[name] = running.has(name) ? 'up' : 'down';
  const down = Object.keys(dependencies).filter((name) => dependencies[name] === 'down');
  if (draining) throw new Problem(NotReady, 'The process is stopping.', { retryAfter: 1 });
  if (down.length) throw new Problem(NotReady, `Down: ${down.join(', ')}.`, { retryAfter: 1 });
  return { status: 'up', dependencies };
}
