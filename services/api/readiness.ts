import { setTimeout as sleep } from 'node:timers/promises';
import { isNatsUp, probeService, type ServicePresence } from '@workspace-automation/moleculer-nats';
import type { ServiceBroker } from 'moleculer';
import { Problem } from '../../contract/problem.ts';
import { type Build, build } from '../../environment/build.ts';
import type { ServiceName } from '../../environment/process.ts';
import { isDatabaseUp } from '../../mixins/database/database.ts';
import { SharedAnswer } from '../../support/shared-answer.ts';
import { contracts } from '../contracts.ts';
import { NotReady } from './api.problems.ts';

type State = 'up' | 'down';
export type Dependencies = Record<string, State>;

/** The dependencies without which the gateway serves no request: `identity` knows callers, `workspaces` knows roles. */
const NEEDED: ReadonlySet<string> = new Set<'database' | 'nats' | ServiceName>([
  'database',
  'nats',
  'identity',
  'workspaces',
]);

/** Milliseconds for which the states of the dependencies are reused: requests for them are public and not limited. */
const STATES_TTL_MS = 100;

/** The dependencies of this process, probed ten times a second at most. */
export const sharedDependencies = (broker: ServiceBroker): SharedAnswer<Dependencies> =>
  new SharedAnswer(() => dependenciesOf(broker), STATES_TTL_MS);

/** Whether the next call is answered: each needed dependency is up. */
export const isReady = (dependencies: Dependencies): boolean =>
  !namesOfDown(dependencies).some((name) => NEEDED.has(name));

export const namesOfDown = (dependencies: Dependencies): string[] =>
  Object.keys(dependencies).filter((name) => dependencies[name] === 'down');

/**
 * The state of each dependency. Throws 503 with the same states where a needed dependency is down or the process
 * stops; any other service that is down is only named.
 */
export async function readiness(
  shared: SharedAnswer<Dependencies>,
  isStopping: boolean,
): Promise<{ status: 'up'; dependencies: Dependencies } & Build> {
  const dependencies = await shared.get();
  if (isStopping) throw notReady('The process is stopping.', dependencies);
  if (!isReady(dependencies)) {
    throw notReady(`Down: ${namesOfDown(dependencies).join(', ')}.`, dependencies);
  }
  return { status: 'up', dependencies, ...build };
}

const notReady = (detail: string, dependencies: Dependencies): Problem =>
  new Problem(NotReady, detail, { retryAfter: 1, members: { dependencies, ...build } });

/** Milliseconds between two probes of a process that waits until it is ready. */
const POLL_MS = 20;

/** Waits until the next call is answered. A new list of dependencies that are down is one line in the log. */
export async function waitUntilReady(
  broker: ServiceBroker,
  warn: (line: string) => void,
): Promise<void> {
  let lastLine = '';
  for (;;) {
    const dependencies = await dependenciesOf(broker);
    if (isReady(dependencies)) return;
    const line = `Not ready. Down: ${namesOfDown(dependencies).join(', ')}.`;
    if (line !== lastLine) warn(line);
    lastLine = line;
    await sleep(POLL_MS);
  }
}

/** Probes all dependencies at once: the states take as long as the slowest probe. */
async function dependenciesOf(broker: ServiceBroker): Promise<Dependencies> {
  const states: [string, Promise<boolean>][] = [
    ['database', isDatabaseUp()],
    ...(broker.transit ? [['nats', isNatsUp(broker)] as [string, Promise<boolean>]] : []),
    ...contracts.map(({ name }) => [name, isServiceUp(broker, name)] as [string, Promise<boolean>]),
  ];
  const all = states.map(async ([name, up]) => [name, (await up) ? 'up' : 'down'] as const);
  return Object.fromEntries(await Promise.all(all));
}

/**
 * Whether a service with that presence counts as up. A silent process may be busy for a moment: heartbeats decide
 * when it is gone, so that load alone never takes a gateway out of service.
 */
const IS_UP: Record<ServicePresence, boolean> = { answering: true, silent: true, absent: false };

/** Whether a service has started, here or elsewhere. The registry has a service from its start on, not from its creation. */
async function isServiceUp(broker: ServiceBroker, service: string): Promise<boolean> {
  const started = broker.registry
    .getServiceList({ onlyAvailable: true })
    .filter(({ name }) => name === service);
  if (started.some(({ local }) => local)) return true;
  return started.length > 0 && IS_UP[await probeService(broker, service)];
}
