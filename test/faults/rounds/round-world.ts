import type { Fault } from '../checks.ts';

/** The environment of the processes of every world. */
export const ROUND_ENV = {
  OUTBOUND_ALLOW: '127.0.0.0/8',
  PUBLIC_URL: 'http://service.test',
  LOG_LEVEL: 'warn',
};

/** The end of a round. */
export interface RoundEnd {
  /** What happened to the system. */
  happened: string;
  /** The extent of the load. */
  load: string;
  faults: Fault[];
}

/** A system with a load, in which the rounds of one kind are played one after another. */
export interface RoundWorld {
  /** Plays a round. The same random numbers give the same faults. */
  play(name: string, random: () => number): Promise<RoundEnd>;
  stop(): Promise<void>;
}
