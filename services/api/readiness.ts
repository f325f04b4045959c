import { setTimeout as sleep } from 'node:timers/promises';
import { isNatsUp, probeService, type ServicePresence } from '@workspace-automation/moleculer-nats';
import type { ServiceBroker } from 'moleculer';
import { Problem } from '../../contract/problem.ts';
import { type Build, build } from '../../environment/build.ts';
import type { ServiceName } from '../../environment/process.ts';
import { isDatabaseUp } from '../../mixins/database/database.ts';
import { isDatabaseFull } from '../../mixins/database/storage-probe.ts';
import { SharedAnswer } from '../../support/shared-answer.ts';
import { contracts } from '../contracts.ts';
import type { DependencyState } from './api.contract.ts';
import { NotReady } from './api.problems.ts';

export type Dependencies = Record<string, DependencyState>;

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

/** Whether the next call is carried out: each needed dependency is up. A database whose disk is full still answers reads. */
export const isReady = (dependencies: Dependencies): boolean =>
  !Object.entries(dependencies).some(([name, state]) => state !== 'up' && NEEDED.has(name));

/** A sentence for each state that is not `up`, such as `Down: flows, runs.` */
export const describeMissing = (dependencies: Dependencies): string =>
  [describeState(dependencies, 'down', 'Down'), describeState(dependencies, 'full', 'Disk full')]
    .filter((sentence) => sentence !== '')
    .join(' ');

function describeState(
  dependencies: Dependencies,
  state: DependencyState,
  heading: string,
): string {
  const names = Object.keys(dependencies).filter((name) => dependencies[name] === state);
  return names.length > 0 ? `${heading}: ${names.join(', ')}.` : '';
}

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
  if (!isReady(dependencies)) throw notReady(describeMissing(dependencies), dependencies);
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
    const line = `Not ready. ${describeMissing(dependencies)}`;
    if (line !== lastLine) warn(line);
    lastLine = line;
    await sleep(POLL_MS);
  }
}

/** Probes all dependencies at once: the states take as long as the slowest probe. */
async function dependenciesOf(broker: ServiceBroker): Promise<Dependencies> {
  const states: [string, Promise<DependencyState>][] = [
    ['database', databaseState()],
    ...(broker.transit ? [stateOf('nats', isNatsUp(broker))] : []),
    ...contracts.map(({ name }) => stateOf(name, isServiceUp(broker, name))),
  ];
  const all = states.map(async ([name, state]) => [name, await state] as const);
  return Object.fromEntries(await Promise.all(all));
}

const stateOf = (name: string, up: Promise<boolean>): [string, Promise<DependencyState>] => [
  name,
  up.then((is) => (is ? 'up' : 'down')),
];

async function databaseState(): Promise<DependencyState> {
  const [isUp, isFull] = await Promise.all([isDatabaseUp(), isDatabaseFull()]);
  if (!isUp) return 'down';
  return isFull ? 'full' : 'up';
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
