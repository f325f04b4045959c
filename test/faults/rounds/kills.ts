import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../helpers/process.ts';
import type { Fault } from '../checks.ts';
import { type Kind, type System, WHOLE } from '../../helpers/system.ts';
import { type Client, Clients } from './clients.ts';
import type { RoundEnd } from './scenario.ts';

export const pick = <T>(random: () => number, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T;

/** Ends or stops a part of the system and has it run again at once. Resolves when the part is ready. */
export type Kill = (system: System, random: () => number) => Promise<void>;

/** kill -9 of one of the processes of a kind. Nothing happens while all of them are being started again. */
export const killOf =
  (kind: Kind): Kill =>
  async (system, random) => {
    const process: ServiceProcess | undefined = pick(random, system.processesOf(kind));
    if (!process) return;
    await system.end(process, 'SIGKILL');
    await system.add(kind);
  };

export const killDatabase: Kill = async (system) => {
  await system.killDatabase();
  await system.restartDatabase();
};

export const killNats: Kill = async ({ ground }) => {
  await ground.nats.kill();
  await ground.nats.start();
};

/** kill -9 of a system that is one process, and of the database at the same moment. */
export const killWhole: Kill = async (system) => {
  await Promise.all([system.remove(WHOLE, 'SIGKILL'), system.killDatabase()]);
  await system.restartDatabase();
  await system.add(WHOLE);
};

/** SIGSTOP of a process for a while: its connections stay open, and nothing answers on them. */
export async function freeze(
  process: { signal(signal: NodeJS.Signals): void },
  ms: number,
): Promise<void> {
  process.signal('SIGSTOP');
  await sleep(ms);
  process.signal('SIGCONT');
}

/** SIGSTOP of one of the processes of a kind. */
export const freezeOf =
  (kind: Kind, ms: number): Kill =>
  (system, random) =>
    freeze(pick(random, system.processesOf(kind)), ms);

/** The kills of a round: what may be killed and how often in proportion, the number, and the longest pause before each. */
export interface KillPlan {
  kills: Record<string, readonly [weight: number, kill: Kill]>;
  count: number;
  longestPauseMs: number;
}

/**
 * Kills parts at random moments, without a wait for those that are started again: several may be away at once. Answers
 * the names of the killed parts when all parts are ready.
 */
export async function killAtRandom(
  system: System,
  random: () => number,
  { kills, count, longestPauseMs }: KillPlan,
): Promise<string[]> {
  const choices = Object.entries(kills).flatMap(([name, [weight, kill]]) =>
    Array.from({ length: weight }, () => ({ name, kill })),
  );
  const killed: string[] = [];
  const starts = new Map<string, Promise<void>>();
  for (let n = 0; n < count; n++) {
    await sleep(random() * longestPauseMs);
    const { name, kill } = pick(random, choices);
    killed.push(name);
    const earlier = starts.get(name) ?? Promise.resolve();
    if (SINGLE.has(kill)) await earlier;
    starts.set(
      name,
      Promise.all([earlier, kill(system, random)]).then(() => undefined),
    );
  }
  await Promise.all(starts.values());
  return killed;
}

/** The kills of what is there once in a system: it is killed again only once it runs. */
const SINGLE: ReadonlySet<Kill> = new Set([killDatabase, killNats, killWhole]);

/** What happens to a system while clients work. Resolves with the words for it, and the faults that it has seen. */
export type Disturbance = (
  system: System,
  random: () => number,
) => Promise<[happened: string, faults?: Fault[]]>;

/** Kills of that plan, after which clients go on for a while. */
export const killing =
  (plan: KillPlan, afterMs = 0): Disturbance =>
  async (system, random) => {
    const killed = await killAtRandom(system, random, plan);
    await sleep(afterMs);
    return [`killed ${killed.join(', ')}`];
  };

/** Lets clients work while something happens to the system. Resolves once each has ended and the system is ready. */
export async function disturb(
  system: System,
  random: () => number,
  clients: readonly Client[],
  disturbance: Disturbance,
): Promise<Pick<RoundEnd, 'happened' | 'faults'>> {
  const working = new Clients(clients);
  const [happened, faults = []] = await disturbance(system, random);
  await system.untilReady();
  return { happened, faults: [...faults, ...(await working.stop())] };
}
