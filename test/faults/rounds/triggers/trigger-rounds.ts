import { LEASE_MS } from '../../../../services/triggers/schedules/scheduler/leased-schedules.ts';
import { createFlow } from '../../../helpers/runs.ts';
import { StoredSchedules } from '../../../helpers/schedules.ts';
import { servicesExcept } from '../../../helpers/spread.ts';
import { randomOf } from '../../random.ts';
import { WORKER } from '../../../helpers/system.ts';
import {
  type Disturbance,
  disturb,
  freezeOf,
  type KillPlan,
  killAtRandom,
  killDatabase,
  killNats,
  killOf,
} from '../kills.ts';
import { StoredRuns } from '../runs/stored-runs.ts';
import { Target } from '../runs/target.ts';
import type { Scenario } from '../scenario.ts';
import { DueSchedules } from './due-schedules.ts';
import { createHooks, HookCalls } from './hook-calls.ts';
import { RunSpans } from './run-spans.ts';
import { StartedByTriggers } from './started-by-triggers.ts';

const TRIGGERS = 'triggers';
/** The flow of the webhooks. */
const HOOK_FLOW = 'do:\n  - rest: { wait: { milliseconds: 300 } }\n';
const HOOK_CLIENTS = 3;
/** Milliseconds for which a scheduler stands still: another one takes over what it has claimed. */
const FROZEN_MS = LEASE_MS + 3_000;

const once = (kills: KillPlan['kills']): KillPlan => ({ kills, count: 1, longestPauseMs: 1_800 });
const ANY = once({
  triggers: [6, killOf(TRIGGERS)],
  worker: [2, killOf(WORKER)],
  gateway: [1, killOf('api')],
  database: [1, killDatabase],
  nats: [1, killNats],
});
/** What happens after each part of the schedules of a round has become due. */
const PARTS = [ANY, once({ 'triggers by SIGSTOP': [1, freezeOf(TRIGGERS, FROZEN_MS)] }), ANY];

export const triggers: Scenario = {
  promise: 'each occurrence of a schedule and each request to a webhook makes one run',
  kinds: [
    'api',
    servicesExcept('api', TRIGGERS, 'flows', 'runs'),
    ...[TRIGGERS, TRIGGERS],
    ...[WORKER, WORKER],
  ],
  async prepare({ system, owner, workspaceId }) {
    const target = await Target.start();
    const schedules = await StoredSchedules.connect(system.uri);
    const runs = new StoredRuns(system.uri);
    const flowId = await createFlow(owner, workspaceId, RunSpans.flowOf(target.url));
    const hooks = await createHooks(owner, await createFlow(owner, workspaceId, HOOK_FLOW));
    return {
      async play(name, random) {
        target.calls = [];
        const due = await DueSchedules.create(owner, flowId, schedules, name);
        const calls = new HookCalls(owner, hooks, name, randomOf(random() * 2 ** 32));
        const clients = Array.from({ length: HOOK_CLIENTS }, () => calls.client);
        const { happened, faults } = await disturb(system, random, clients, inParts(due));
        faults.push(...(await due.faultsOfEnd()), ...(await runs.faultsOfLife()));
        const started = await StartedByTriggers.read(schedules.client);
        const spans = new RunSpans(target.calls);
        faults.push(...due.faultsOf(started, spans), ...calls.faultsOf(started));
        await due.remove();
        return { happened, load: `${due.size} occurrences, ${calls.size} requests`, faults };
      },
      async stop() {
        target.stop();
        await Promise.all([schedules.close(), runs.close()]);
      },
    };
  },
};

/** Makes the schedules due in parts, one after another, with a kill after each. */
const inParts =
  (due: DueSchedules): Disturbance =>
  async (system, random) => {
    const killed: string[] = [];
    for (const [part, plan] of PARTS.entries()) {
      await due.makeDue(part, PARTS.length);
      killed.push(...(await killAtRandom(system, random, plan)));
    }
    return [`killed ${killed.join(', ')}`];
  };
