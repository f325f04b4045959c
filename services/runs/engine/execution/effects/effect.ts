import type { Effect, Json, Pending, Problem, Task } from '@workspace-automation/flow-language';
import type { OutboundClient } from '@workspace-automation/outbound-http';
import { databaseClock } from '../../../../../mixins/database/database-clock.ts';
import type { ReceivedSignal, SentSecrets } from '../../../../../models/journal-entry.ts';
import type { RunDocument } from '../../../../../models/run.model.ts';
import type { Actions } from '../../../../contracts.ts';
import type { Mailbox } from '../../mailbox/mailbox.ts';
import type { ChildrenCalls, JobChildren } from '../job-children.ts';
import type { RunSecrets } from '../run-secrets.ts';
import type { RunAnswers } from './answer-queue.ts';
import type { Exchange } from './exchange.ts';

type Ask<N extends keyof Actions> = (params: Actions[N]['params']) => Promise<Actions[N]['result']>;

/** The questions that effects ask the service `connections`. */
export interface ConnectionsCalls {
  prepareCall: Ask<'connections.prepareCall'>;
  openSecrets: Ask<'connections.openSecrets'>;
  secretsToMask: Ask<'connections.secretsToMask'>;
}

/** The questions that effects ask the service `issues`, as the run. */
export interface IssuesCalls {
  raise: (
    run: Pick<RunDocument, '_id' | 'workspaceId'>,
    params: Actions['issues.raise']['params'],
  ) => Promise<Actions['issues.raise']['result']>;
}

/** The questions that effects ask the service `assistant`, as the run. */
export interface AssistantCalls {
  answerPrompt: (
    run: Pick<RunDocument, '_id' | 'workspaceId'>,
    params: Actions['assistant.answerPrompt']['params'],
  ) => Promise<Actions['assistant.answerPrompt']['result']>;
}

/** The tools with which effects call other systems. */
export interface EffectTools {
  /** The name of this installation, with which each `Idempotency-Key` begins. */
  installation: () => string;
  outbound: OutboundClient;
  connections: ConnectionsCalls;
  issues: IssuesCalls;
  assistant: AssistantCalls;
  children: ChildrenCalls;
}

/** The task, limits and tools of one effect. */
export interface EffectContext {
  /** The task that asks for the effect. */
  task: Task;
  tools: EffectTools;
  run: Pick<RunDocument, '_id' | 'workspaceId' | 'flowId' | 'execution' | 'configuration'>;
  /** The secrets that the run has sent, which the end of no effect may show. */
  secrets: RunSecrets;
  /** The signals of the run, and the effects that wait for a notification. */
  mailbox: Mailbox;
  children: Pick<JobChildren, 'findOrStart' | 'endWait'>;
  /** Gives large answers their turn. */
  answers: Pick<RunAnswers, 'read'>;
  /** The key of the effect's position. */
  key: string;
  /** Takes the request and the response of a call, which its step shows. */
  exchange: Exchange;
  /**
   * Begins an effect that had to be prepared (`isPrepared`), before its request is sent. Journals secrets that the run
   * has not sent before, in one write with the ends of earlier effects.
   */
  begin: (sent: SentSecrets | null) => Promise<void>;
  /** The key of each try of this effect, by which the called server can refuse a repeat. */
  idempotencyKey: string;
  /**
   * The key of the effect for other services of this system: run, path, iteration and visit. A retry by `try` and a
   * repeat by another worker have the same key, and a retry of the run has another key.
   */
  effectKey: string;
  /** Milliseconds since the epoch at which the effect is given up as `timed-out`. */
  deadline: number;
  /** Aborted when the run is interrupted: the effect then rejects, since its end is unknown. */
  signal: AbortSignal;
}

/** The end of an effect. `completedAt` is in milliseconds since the epoch; by default it is the present time. */
export type EffectEnd = (
  | { kind: 'succeeded'; value: Json }
  | { kind: 'failed'; problem: Omit<Problem, 'instance'> }
  | { kind: 'timed-out' }
) & {
  completedAt?: number;
  /** The credential whose secret was sent, which a server may repeat in later answers. */
  credentialId?: number;
  /** The signal that the effect receives. */
  signal?: ReceivedSignal;
};

/**
 * Returns the `completedAt` of an effect that ends by an event outside this process: the present time, or the deadline
 * where a worker looks later. Returns null for an event after the deadline. An event without a time is from an older
 * version and counts as in time.
 */
export function completedInTime(happenedAt: Date | undefined, deadline: number): number | null {
  if (happenedAt && happenedAt.getTime() > deadline) return null;
  return Math.min(databaseClock.now(), deadline);
}

export type EffectKind = Effect['kind'];
export type EffectOf<Kind extends EffectKind> = Extract<Effect, { kind: Kind }>;

/**
 * Carries one effect out. A failure of the called server or of the network is an end of the effect, which
 * the flow can catch; a rejection is a failure of this service.
 */
export type PerformEffect<Kind extends EffectKind> = (
  effect: EffectOf<Kind>,
  context: EffectContext,
) => Promise<EffectEnd | Pending>;
