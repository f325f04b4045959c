import { setTimeout as sleep } from 'node:timers/promises';
import { hasResponder, isNatsUp } from '@workspace-automation/moleculer-nats';
import type { ServiceBroker } from 'moleculer';
import { Problem } from '../../contract/problem.ts';
import type { ServiceName } from '../../environment/process.ts';
import { isDatabaseUp } from '../../mixins/database/database.ts';
import { SharedAnswer } from '../../support/shared-answer.ts';
import { contracts } from '../contracts.ts';
import { NotReady } from './api.problems.ts';

type State = 'up' | 'down';
export type Dependencies = Record<string, State>;

/** What the gateway needs for any request: who the caller is, and what the caller may do in a workspace. */
const NEEDED: ReadonlySet<string> = new Set<'database' | 'nats' | ServiceName>([
  'database',
  'nats',
  'identity',
  'workspaces',
]);

/** Milliseconds for which one look at the dependencies serves all who ask: anybody may, as often as they like. */
const LOOK_LASTS_MS = 100;

/** The dependencies of this process, looked at ten times a second at most. */
export const sharedDependencies = (broker: ServiceBroker): SharedAnswer<Dependencies> =>
  new SharedAnswer(() => dependenciesOf(broker), LOOK_LASTS_MS);

/** Whether the next call is answered: all that the gateway needs is up. */
export const isReady = (dependencies: Dependencies): boolean =>
  !namesOfDown(dependencies).some((name) => NEEDED.has(name));

export const namesOfDown = (dependencies: Dependencies): string[] =>
  Object.keys(dependencies).filter((name) => dependencies[name] === 'down');

/**
 * The state of each dependency, or 503 with the same when one that the gateway needs is down, or the process
 * stops. Another service that is down is named, and only its own operations are 503.
 */
export async function readiness(
  shared: SharedAnswer<Dependencies>,
  isStopping: boolean,
): Promise<{ status: 'up'; dependencies: Dependencies }> {
  const dependencies = await shared.get();
  if (isStopping) throw notReady('The process is stopping.', dependencies);
  if (!isReady(dependencies)) {
    throw notReady(`Down: ${namesOfDown(dependencies).join(', ')}.`, dependencies);
  }
  return { status: 'up', dependencies };
}

const notReady = (detail: string, dependencies: Dependencies): Problem =>
  new Problem(NotReady, detail, { retryAfter: 1, members: { dependencies } });

/** Milliseconds between two looks of a process that waits until it is ready. */
const POLL_MS = 20;

/** Waits until the next call is answered; says in the log what is missing, once for each list of names. */
export async function waitUntilReady(
  broker: ServiceBroker,
  warn: (line: string) => void,
): Promise<void> {
  let told = '';
  for (;;) {
    const dependencies = await dependenciesOf(broker);
    if (isReady(dependencies)) return;
    const line = `Not ready. Down: ${namesOfDown(dependencies).join(', ')}.`;
    if (line !== told) warn(line);
    told = line;
    await sleep(POLL_MS);
  }
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

/** A service is in the registry once it has started; before, it is created and answers nothing. */
async function isServiceUp(broker: ServiceBroker, service: string): Promise<boolean> {
  const started = broker.registry
    .getServiceList({ onlyAvailable: true })
    .filter(({ name }) => name === service);
  if (started.some(({ local }) => local)) return true;
  return started.length > 0 && (await hasResponder(broker, service));
}
