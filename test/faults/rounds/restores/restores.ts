import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../../../helpers/people.ts';
import type { Fault } from '../../checks.ts';
import { type Client, postOnce } from '../clients.ts';
import { faultsOfRestores, type Restore, type StoredVersion } from './restore-faults.ts';
import type { RestoredFlow } from './restored-flow.ts';

/** Milliseconds of the longest pause of a client between two restores. */
const LONGEST_PAUSE_MS = 250;

/** Restores of the earlier versions of a flow, each of them once, by several clients. */
export class Restores {
  readonly #person: Person;
  readonly #flow: RestoredFlow;
  readonly #random: () => number;
  readonly #acknowledged: Restore[] = [];
  #next = 0;

  constructor(person: Person, flow: RestoredFlow, random: () => number) {
    this.#person = person;
    this.#flow = flow;
    this.#random = random;
  }

  get size(): number {
    return this.#acknowledged.length;
  }

  readonly client: Client = async (isStopped) => {
    while (!isStopped()) {
      await sleep(this.#random() * LONGEST_PAUSE_MS);
      const version = this.#flow.earlier[this.#next++];
      if (!version) return;
      const sentAt = performance.now();
      const path = `/flows/${this.#flow.id}/versions/${version.id}/restore`;
      const order = { key: `restore-${version.id}` };
      const { versionId } = await postOnce<{ versionId: number }>(this.#person, [200], path, order);
      const acknowledgedAt = performance.now();
      this.#acknowledged.push({ file: version.file, versionId, sentAt, acknowledgedAt });
    }
  };

  faultsOf(versions: readonly StoredVersion[]): Fault[] {
    return faultsOfRestores(this.#acknowledged, versions, this.#flow.size);
  }
}
