import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../../../helpers/people.ts';
import { servicesExcept } from '../../../helpers/spread.ts';
import type { Fault } from '../../checks.ts';
import { randomOf } from '../../random.ts';
import { type Client, postOnce } from '../clients.ts';
import { disturb, killDatabase, killing, killOf } from '../kills.ts';
import type { Scenario } from '../scenario.ts';
import { faultsOfRestores, type Restore, type StoredVersion } from './restore-faults.ts';
import { RestoredFlow } from './restored-flow.ts';

const FLOWS = 'flows';
const DEV_MODE = 'dev-mode';
/** Clients that restore versions of one flow: a restore of another comes between a killed restore and its repetition. */
const CLIENTS = 4;
/** Milliseconds of the longest pause of a client between two restores. */
const LONGEST_PAUSE_MS = 250;

export const restores: Scenario = {
  promise: 'each acknowledged restore of a version is one version, in the order of the answers',
  kinds: ['api', servicesExcept('api', FLOWS, DEV_MODE), FLOWS, FLOWS, DEV_MODE, DEV_MODE],
  prepare: async ({ system, owner, workspaceId }) => ({
    async play(_name, random) {
      const flow = await RestoredFlow.create(owner, workspaceId);
      const made = new Restores(owner, flow, randomOf(random() * 2 ** 32));
      const clients = Array.from({ length: CLIENTS }, () => made.client);
      const plan = {
        kills: {
          flows: [12, killOf(FLOWS)],
          gateway: [1, killOf('api')],
          database: [1, killDatabase],
        },
        count: 3,
        longestPauseMs: 700,
      } as const;
      const { happened, faults } = await disturb(system, random, clients, killing(plan));
      faults.push(...made.faultsOf(await flow.readVersions(owner, system.uri)));
      return { happened, load: `${made.size} restores`, faults };
    },
  }),
};

/** Restores of the earlier versions of a flow, each of them once, by several clients. */
class Restores {
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
