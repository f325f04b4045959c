import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../../../helpers/people.ts';
import type { StartedRun } from '../../checks.ts';
import type { FaultFlow } from '../../flows.ts';
import type { Client } from '../clients.ts';
import { pick } from '../kills.ts';

export interface StoredFlow extends FaultFlow {
  id: number;
}

/** The pace of the load: clients that start a run each, and the longest pause of a client between two starts. */
export interface Pace {
  clients: number;
  longestPauseMs: number;
  /** Acknowledged runs after which no more are started. */
  runs?: number;
}

/** The longest pause in milliseconds before a signal is posted, so that some come before their `listen`. */
const SIGNAL_WITHIN_MS = 600;
/** The number of attempts to post a signal, 100 ms apart: longer than the longest outage. */
const SIGNAL_ATTEMPTS = 900;
const WAITED = { wait: 300 };

/** Clients that start runs, and post the signals of each until these are acknowledged. */
export class Traffic {
  readonly started: StartedRun[] = [];
  readonly #person: Person;
  readonly #flows: readonly StoredFlow[];
  readonly #name: string;
  readonly #random: () => number;
  readonly #pace: Pace;
  readonly #signals: Promise<void>[] = [];
  #count = 0;

  constructor(
    person: Person,
    flows: readonly StoredFlow[],
    name: string,
    random: () => number,
    pace: Pace,
  ) {
    this.#person = person;
    this.#flows = flows;
    this.#name = name;
    this.#random = random;
    this.#pace = pace;
  }

  get clients(): Client[] {
    return Array.from({ length: this.#pace.clients }, () => this.#client);
  }

  /** Ends when the last run is started and each signal is posted. */
  readonly #client: Client = async (isStopped) => {
    while (!isStopped() && this.started.length < (this.#pace.runs ?? Number.POSITIVE_INFINITY)) {
      const flow = pick(this.#random, this.#flows);
      const waits = this.#random() < 0.2;
      await sleep(this.#random() * this.#pace.longestPauseMs);
      await this.#start(flow, waits);
    }
    await Promise.all(this.#signals);
  };

  async #start(flow: StoredFlow, waits: boolean): Promise<void> {
    const tag = `${this.#name}n${this.#count++}`;
    const answer = await this.#post(`/flows/${flow.id}/runs`, { input: { tag } }, waits);
    if (!answer || (answer.status !== 200 && answer.status !== 202)) return;
    const run = { id: answer.id, tag, flow };
    this.started.push(run);
    for (const signal of flow.signals ?? []) this.#signals.push(this.#signal(run, signal));
  }

  async #signal({ id, tag }: StartedRun, name: string): Promise<void> {
    await sleep(this.#random() * SIGNAL_WITHIN_MS);
    for (let attempt = 0; attempt < SIGNAL_ATTEMPTS; attempt++) {
      const answer = await this.#post(`/flows/runs/${id}/signals/${name}`, { tag, name }, false);
      if (answer?.status === 204 || answer?.status === 409) return;
      await sleep(100);
    }
  }

  /** Posts once. Returns null when the connection is refused or broken. */
  async #post(path: string, body: object, waits: boolean) {
    try {
      const answer = await this.#person.call<{ id: number } | undefined>('POST', path, {
        body,
        query: waits ? WAITED : {},
      });
      return { status: answer.status, id: answer.body?.id ?? 0 };
    } catch {
      await sleep(20); // a gateway that is away refuses at once
      return null;
    }
  }
}
