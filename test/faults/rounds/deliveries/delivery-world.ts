import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_TYPES } from '../../../../contract/outgoing-event.ts';
import { createWorkspace } from '../../../helpers/people.ts';
import { dataFolder } from '../../../helpers/server.ts';
import { servicesExcept } from '../../../helpers/spread.ts';
import { comes } from '../../../helpers/wait.ts';
import type { Fault } from '../../checks.ts';
import { randomOf } from '../../random.ts';
import { System, WORKER } from '../../system.ts';
import { Clients, newSecret, postOnce } from '../clients.ts';
import { type KillPlan, killAtRandom, killDatabase, killNats, killOf } from '../kills.ts';
import { RoundPerson } from '../round-person.ts';
import { ROUND_ENV, type RoundEnd, type RoundWorld } from '../round-world.ts';
import { type ChangedWorkspace, Changes, prepareWorkspace } from './changes.ts';
import { faultsOfLoss, faultsOfOrder } from './event-faults.ts';
import { RECEIVERS, Receivers } from './receivers.ts';
import { StoredDeliveries } from './stored-deliveries.ts';

const EVENTS = 'events';
const ISSUES = 'issues';
const CORE = servicesExcept('api', EVENTS, ISSUES, 'flows', 'runs');
const KINDS = ['api', CORE, EVENTS, EVENTS, ISSUES, ISSUES, WORKER, WORKER];

const PLAN: KillPlan = {
  kills: {
    events: [6, killOf(EVENTS)],
    issues: [3, killOf(ISSUES)],
    worker: [3, killOf(WORKER)],
    database: [1, killDatabase],
    nats: [1, killNats],
  },
  count: 3,
  longestPauseMs: 1_200,
};
/** Milliseconds for which changes go on after the killed processes run again. */
const AFTER_MS = 500;
/** Milliseconds within which every event has come, the leases of dead processes and backoffs included. */
const DELIVERED_WITHIN_MS = 60_000;

/** Subscriptions to the changes of a workspace, while processes are killed that make, record or deliver events. */
export class DeliveryWorld implements RoundWorld {
  readonly #system: System;
  readonly #owner: RoundPerson;
  readonly #workspace: ChangedWorkspace;
  readonly #receivers: Receivers;
  readonly #stored: StoredDeliveries;

  private constructor(
    system: System,
    owner: RoundPerson,
    workspace: ChangedWorkspace,
    { receivers, stored }: { receivers: Receivers; stored: StoredDeliveries },
  ) {
    this.#system = system;
    this.#owner = owner;
    this.#workspace = workspace;
    this.#receivers = receivers;
    this.#stored = stored;
  }

  static async start(): Promise<DeliveryWorld> {
    const system = await System.start(dataFolder(), ROUND_ENV, KINDS);
    const owner = await RoundPerson.register(system);
    const { person } = owner;
    const workspaceId = await createWorkspace(person);
    const workspace = await prepareWorkspace(person, workspaceId);
    // A subscription may get the event of an earlier change that was not published yet, and no round expects that event.
    const stored = new StoredDeliveries(system.ground.database.uri);
    const left = await stored.faultsOfQuiet();
    if (left.length) throw new Error(left.join());
    const receivers = await Receivers.start();
    const path = `/workspaces/${workspaceId}/event-subscriptions`;
    for (const receiver of RECEIVERS) {
      const secret = newSecret();
      const body = { url: receivers.urlOf(receiver), events: EVENT_TYPES, secret };
      await postOnce(person, [201], path, { key: receiver, body });
      receivers.expectSecret(receiver, secret);
    }
    return new DeliveryWorld(system, owner, workspace, { receivers, stored });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#receivers.stop(), this.#stored.close()]);
  }

  async play(name: string, random: () => number): Promise<RoundEnd> {
    await this.#owner.renewToken();
    this.#receivers.begin(randomOf(random() * 2 ** 32));
    const changes = new Changes(
      this.#owner.person,
      this.#workspace,
      name,
      randomOf(random() * 2 ** 32),
    );
    const { issueClient, versionClient, runClient } = changes;
    const clients = new Clients([issueClient, issueClient, issueClient, versionClient, runClient]);
    const killed = await killAtRandom(this.#system, random, PLAN);
    await sleep(AFTER_MS);
    const faults = await clients.stop();
    await this.#system.untilReady();
    faults.push(...(await this.#faultsOf(changes)));
    const load = `${changes.size} changes, ${this.#receivers.count} requests`;
    return { happened: `killed ${killed.join(', ')}`, load, faults };
  }

  async #faultsOf({ expected }: Changes): Promise<Fault[]> {
    const receivers = this.#receivers;
    await comes(() => faultsOfLoss(expected, receivers).length === 0, DELIVERED_WITHIN_MS);
    const left = await this.#stored.faultsOfQuiet();
    return [
      ...left,
      ...faultsOfLoss(expected, receivers),
      ...faultsOfOrder(expected, receivers),
      ...receivers.faults,
    ];
  }
}
