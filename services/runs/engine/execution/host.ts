import {
  type FlowError,
  flowError,
  type Host,
  idempotencyKey,
  type Performed,
  type PerformRequest,
  runTimeout,
  type Sandbox,
} from '@workspace-automation/flow-language';
import type { OutboundClient } from '@workspace-automation/outbound-http';
import { chargedTo } from '../../../../support/fair-shares/cpu-shares.ts';
import { performedFrom, recordOf } from './effect-records.ts';
import { longestCallMs, outboundCall } from './effects/http.ts';
import type { Job } from './job.ts';
import type { Journal } from './journal.ts';

/** What runs use of the world. */
export interface HostTools {
  evaluator: Pick<Sandbox, 'evaluate' | 'test'>;
  outbound: OutboundClient;
}

/** One claimed run as the interpreter meets it. */
export function hostOf(job: Job, journal: Journal, { evaluator, outbound }: HostTools): Host {
  const { doc } = job.run;
  const startedAt = doc.startedAt ?? doc.createdAt;
  const context = chargedTo(job.share);
  return {
    run: {
      id: doc._id,
      flowId: doc.flowId,
      workspaceId: doc.workspaceId,
      attempt: 1,
      startedAt: startedAt.toISOString(),
    },
    input: doc.input,
    properties: {},
    seed: String(doc._id),
    deadline: deadlineOf(job).getTime(),
    evaluator: {
      evaluate: (request) => job.slot.compute(() => evaluator.evaluate({ ...request, ...context })),
      test: (request) => job.slot.compute(() => evaluator.test({ ...request, ...context })),
    },
    now: Date.now,
    signal: job.signal,
    interruption: () => interruptionOf(job),
    hold: (bytes) => job.hold(bytes + journal.weight, journal.ahead),
    record: (step) => journal.record(step),
    note: async ({ key, performed }) => journal.append(key, recordOf(performed)),
    recall: (key) => journal.take(key),
    replaying: () => journal.ahead,
    async perform(request) {
      const known = journal.take(request.position.key);
      if (known) return known;
      journal.assertMet();
      // As text until the run has its slot again: parsed, an answer may take twenty times as much.
      const record = await job.slot.waitFor(async () => {
        await journal.flushEffects(); // before the next effect begins
        request.signal.throwIfAborted();
        job.assertMayBegin();
        const performed = recordOf(await carryOut(request, job, journal, outbound));
        journal.append(request.position.key, performed);
        return performed;
      });
      return performedFrom(record);
    },
  };
}

/** What a cancel or the end of the run's time leaves of the tasks under way. */
function interruptionOf({ interruption }: Job): FlowError | null {
  if (interruption === 'cancelled')
    return flowError('runtime', 'CANCELLED', 'the run was cancelled');
  return interruption === 'overdue' ? runTimeout() : null;
}

/** When the run times out. */
export function deadlineOf({ run: { doc } }: Job): Date {
  const startedAt = doc.startedAt ?? doc.createdAt;
  return doc.deadlineAt ?? new Date(startedAt.getTime() + doc.timeoutMs);
}

async function carryOut(
  { effect, task, position, deadline, signal }: PerformRequest,
  job: Job,
  journal: Journal,
  outbound: OutboundClient,
): Promise<Performed> {
  if (effect.kind === 'wait') {
    const completedAt = Math.max(effect.untilMs, journal.latest);
    return { kind: 'succeeded', value: null, completedAt };
  }
  const end = await outboundCall(outbound, effect, {
    idempotencyKey: idempotencyKey(String(job.run.doc._id), position),
    deadline,
    longestMs: longestCallMs(task.timeoutMs),
    signal,
  });
  return { ...end, completedAt: Math.max(Date.now(), journal.latest) };
}
