import type { Person } from '../../helpers/people.ts';
import type { Fault } from '../checks.ts';
import type { Kind, System } from '../../helpers/system.ts';

/** What a scenario is played on. */
export interface Stage {
  system: System;
  /** A person whose requests go to the first gateway that is running. */
  owner: Person;
  /** A workspace of the owner, which nothing else uses. */
  workspaceId: number;
}

/** The end of a round. */
export interface RoundEnd {
  /** What happened to the system. */
  happened: string;
  /** The extent of the load. */
  load: string;
  faults: Fault[];
}

/** A prepared load, in which rounds are played one after another. */
export interface Rounds {
  /** Plays a round. The same random numbers give the same faults. */
  play(name: string, random: () => number): Promise<RoundEnd>;
  stop?(): Promise<void>;
}

/** A row of the table: the processes of a system, the load of it and what happens meanwhile, and what holds afterwards. */
export interface Scenario {
  /** What holds after each round. */
  promise: string;
  kinds: readonly Kind[];
  /** Whether the processes are other ones afterwards, with which no further scenario can be played. */
  changesSystem?: boolean;
  prepare(stage: Stage): Promise<Rounds>;
}
