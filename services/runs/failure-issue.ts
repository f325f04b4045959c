import { type OutboxMessage, outboxEntryOf } from '../../mixins/changes/outbox.ts';
import type { OutboxEntry } from '../../models/changed-document.ts';
import { isFlowRun, type RunDocument } from '../../models/run.model.ts';
import { clipText } from '../../support/clip-text.ts';
import { hashOf } from '../../support/hash.ts';
import type { RunError } from './contract/resources.ts';
import type { RunEnd } from './engine/lease/leased-run.ts';

/** The fields of a run that decide whether its failure raises an issue, and that the issue names. */
export type FailureFields = Pick<
  RunDocument,
  '_id' | 'workspaceId' | 'flowId' | 'flowName' | 'onFailure'
>;
/** The projection of these fields. */
export const FAILURE_FIELDS = { workspaceId: 1, flowId: 1, flowName: 1, onFailure: 1 } as const;

/** Characters of a flow's name, and of an error's title, in the title of an issue. The rest is cut. */
const MAX_NAME_CHARS = 90;
/** Characters of the description of an issue. The rest is cut, since 200 entries share one message of NATS. */
const MAX_DESCRIPTION_CHARS = 2_000;
/** Characters of a fingerprint. A longer fingerprint is replaced by its hash. */
const MAX_FINGERPRINT_CHARS = 1_000;

/**
 * Returns the outbox entry that raises an issue for a failed run with `onFailure`; no entry for any other end. The entry
 * is written with the end.
 */
export function failureEntriesOf(run: FailureFields, end: RunEnd, at: Date): OutboxEntry[] {
  const { onFailure } = run;
  const isFailure = end.status === 'FAILED' || end.status === 'TIMED_OUT';
  if (!isFailure || !end.error || !onFailure || !isFlowRun(run)) return [];
  return [outboxEntryOf(failureMessage(run, end.error, onFailure.assignedUserId), at)];
}

function failureMessage(
  {
    _id: runId,
    workspaceId,
    flowId,
    flowName,
  }: FailureFields & Required<Pick<RunDocument, 'flowId' | 'flowName'>>,
  { type, status, title, detail, instance }: RunError,
  assignedUserId: number | null,
): OutboxMessage {
  const params = {
    workspaceId,
    runId,
    flowId,
    title: `${lineOf(flowName, MAX_NAME_CHARS)} failed: ${lineOf(title, MAX_NAME_CHARS)}`,
    description: textOf(
      [
        `Run ${runId} of the flow ${flowName} (${flowId}) failed at ${instance || 'the flow itself'}.`,
        `${title} (${status}, ${type})`,
        detail,
      ].join('\n\n'),
    ),
    assignedUserId,
    fingerprint: fingerprintOf([flowId, instance, type, title]),
  };
  return { call: 'issues.raiseForFailures', params };
}

/** Failures with the same flow, task, type and title of the error have one issue. */
function fingerprintOf(parts: readonly (number | string)[]): string {
  const fingerprint = JSON.stringify(parts);
  return fingerprint.length > MAX_FINGERPRINT_CHARS ? hashOf(fingerprint) : fingerprint;
}

/** Makes one line of a text, as titles of issues are. */
const lineOf = (text: string, chars: number): string =>
  clipText(
    text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim(),
    chars,
  ).toWellFormed();

/** Drops the control characters that descriptions of issues do not have. */
const textOf = (text: string): string =>
  clipText(
    text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\n\t]/gu, ' '),
    MAX_DESCRIPTION_CHARS,
  ).toWellFormed();
