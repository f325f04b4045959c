import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../helpers/process.ts';
import type { Kind, System } from '../system.ts';

export const pick = <T>(random: () => number, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T;

/** kill -9 of a part of the system, which is started again at once. Resolves when the part is ready. */
export type Kill = (system: System, random: () => number) => Promise<void>;

/** Kills one of the processes of a kind. Nothing happens while all of them are being started again. */
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
    if (isShared(kill)) await earlier;
    starts.set(
      name,
      Promise.all([earlier, kill(system, random)]).then(() => undefined),
    );
  }
  await Promise.all(starts.values());
  return killed;
}

/** Whether there is one such part in the system, which is killed again only once it runs. */
const isShared = (kill: Kill): boolean => kill === killDatabase || kill === killNats;
