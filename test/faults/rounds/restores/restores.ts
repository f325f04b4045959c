import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../../../helpers/people.ts';
import type { Fault } from '../../checks.ts';
import { type Client, postOnce } from '../clients.ts';
import type { RestoredFlow, StoredVersion } from './restored-flow.ts';

/** Milliseconds of the longest pause of a client between two restores. */
const LONGEST_PAUSE_MS = 250;

/** An acknowledged restore. Times are monotonic, in milliseconds. */
interface Restore {
  file: string;
  /** The newest version as the answer has it: that of the restore, or a later one. */
  versionId: number;
  sentAt: number;
  acknowledgedAt: number;
}

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
      const { versionId } = await postOnce<{ versionId: number }>(this.#person, 200, path, order);
      const acknowledgedAt = performance.now();
      this.#acknowledged.push({ file: version.file, versionId, sentAt, acknowledgedAt });
    }
  };

  /** Compares what was acknowledged with the versions of the flow, the oldest first. */
  faultsOf(versions: readonly StoredVersion[]): Fault[] {
    const faults: Fault[] = [];
    if (versions.some(({ sequence }, at) => sequence !== at + 1)) {
      faults.push(`the versions have the numbers ${versions.map(({ sequence }) => sequence)}`);
    }
    const restored = versions.filter(({ sequence }) => sequence > this.#flow.size);
    const places = new Map(versions.map(({ _id, sequence }) => [_id, sequence]));
    const made = this.#acknowledged.map((restore) => {
      const ofFile = restored.filter(({ content }) => content === restore.file);
      if (ofFile.length !== 1) faults.push(`a restore has made ${ofFile.length} versions`);
      const sequence = ofFile[0]?.sequence ?? 0;
      const answered = places.get(restore.versionId) ?? 0;
      if (answered < sequence) faults.push(`version ${sequence} was answered as ${answered}`);
      return { ...restore, sequence };
    });
    for (const { sequence, acknowledgedAt } of made) {
      const later = made.filter((other) => other.sentAt > acknowledgedAt);
      const overtaken = later.filter((other) => other.sequence < sequence);
      faults.push(...overtaken.map((other) => `version ${other.sequence} came after ${sequence}`));
    }
    if (restored.length !== made.length) {
      faults.push(`${made.length} restores have made ${restored.length} versions`);
    }
    return faults;
  }
}
