import { EVENT_TYPES } from '../../../../contract/outgoing-event.ts';
import { servicesExcept } from '../../../helpers/spread.ts';
import { comes } from '../../../helpers/wait.ts';
import { randomOf } from '../../random.ts';
import { WORKER } from '../../../helpers/system.ts';
import { newSecret, postOnce } from '../clients.ts';
import { disturb, type KillPlan, killDatabase, killing, killNats, killOf } from '../kills.ts';
import type { Scenario, Stage } from '../scenario.ts';
import { Changes, prepareWorkspace } from './changes.ts';
import { faultsOfLoss, faultsOfOrder } from './event-faults.ts';
import { RECEIVERS, Receivers } from './receivers.ts';
import { StoredDeliveries } from './stored-deliveries.ts';

const EVENTS = 'events';
const ISSUES = 'issues';
const CORE = servicesExcept('api', EVENTS, ISSUES, 'flows', 'runs');

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

export const deliveries: Scenario = {
  promise:
    'each subscription gets the event of every change, the events of a resource in their order',
  kinds: ['api', CORE, EVENTS, EVENTS, ISSUES, ISSUES, WORKER, WORKER],
  async prepare(stage) {
    const { system, owner } = stage;
    const workspace = await prepareWorkspace(owner, stage.workspaceId);
    // A subscription may get the event of an earlier change that was not published yet, and no round expects that event.
    const stored = new StoredDeliveries(system.uri);
    const left = await stored.faultsOfQuiet();
    if (left.length) throw new Error(left.join());
    const receivers = await Receivers.start();
    await subscribe(stage, receivers);
    return {
      async play(name, random) {
        receivers.begin(randomOf(random() * 2 ** 32));
        const changes = new Changes(owner, workspace, name, randomOf(random() * 2 ** 32));
        const { issueClient, versionClient, runClient, expected } = changes;
        const clients = [issueClient, issueClient, issueClient, versionClient, runClient];
        const { happened, faults } = await disturb(
          system,
          random,
          clients,
          killing(PLAN, AFTER_MS),
        );
        await comes(() => faultsOfLoss(expected, receivers).length === 0, DELIVERED_WITHIN_MS);
        faults.push(
          ...(await stored.faultsOfQuiet()),
          ...faultsOfLoss(expected, receivers),
          ...faultsOfOrder(expected, receivers),
          ...receivers.faults,
        );
        return { happened, load: `${changes.size} changes, ${receivers.count} requests`, faults };
      },
      stop: async () => void (await Promise.all([receivers.stop(), stored.close()])),
    };
  },
};

async function subscribe({ owner, workspaceId }: Stage, receivers: Receivers): Promise<void> {
  const path = `/workspaces/${workspaceId}/event-subscriptions`;
  for (const receiver of RECEIVERS) {
    const secret = newSecret();
    const body = { url: receivers.urlOf(receiver), events: EVENT_TYPES, secret };
    await postOnce(owner, [201], path, { key: `${workspaceId}${receiver}`, body });
    receivers.expectSecret(receiver, secret);
  }
}
