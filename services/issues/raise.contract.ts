import { z } from 'zod';
import { action } from '../../contract/contract.ts';
import { Description, Id, Name, Timestamp } from '../../contract/fields.ts';
import { entriesOf } from '../../contract/outbox-entries.ts';
import { NotFound } from '../../contract/problem.ts';
import { Issue } from './issues.resources.ts';

/** The most characters of a fingerprint; a longer fingerprint is refused. */
const MAX_FINGERPRINT_CHARS = 1_000;

/** Milliseconds that a call of `raiseForFailures` may take, with up to 200 entries. Then the outbox calls again. */
const FAILURES_MS = 40_000;

/** The actions by which runs raise issues. */
export const raiseActions = {
  raise: action({
    summary: 'Raise an issue, or update the issue with the same fingerprint and open it again',
    audit: { resource: 'issue' },
    access: { who: 'run', in: { parameter: 'workspaceId' } },
    path: { workspaceId: Id },
    body: {
      /** Names the effect of the run. A repeat of the effect changes nothing. */
      key: z.string(),
      title: Name,
      /** Null leaves the description of an issue as it is. A new issue has an empty description then. */
      description: Description.nullable(),
      /** Null leaves the assignee of an issue as it is. Nobody is assigned to a new issue then. */
      assignedUserId: Id.nullable(),
      /** Null for an issue of this effect alone. */
      fingerprint: z
        .string()
        .min(1, 'must have at least 1 character')
        .max(MAX_FINGERPRINT_CHARS, `must have at most ${MAX_FINGERPRINT_CHARS} characters`)
        .nullable(),
    },
    result: Issue,
    errors: [NotFound],
    idempotent: true,
  }),
  raiseForFailures: action({
    summary: 'Count failed runs in their issues, which are raised or opened again',
    access: { who: 'internal' },
    audit: { resource: 'issue' },
    body: {
      entries: entriesOf({
        workspaceId: Id,
        runId: Id,
        /** Absent in entries of earlier versions of the service. */
        flowId: Id.optional(),
        title: Name,
        description: Description,
        assignedUserId: Id.nullable(),
        fingerprint: z.string(),
      }),
    },
    result: null,
    idempotent: true,
    timeoutMs: FAILURES_MS,
  }),
  recordFailures: action({
    summary: 'Record the failed runs that issues have counted',
    access: { who: 'internal' },
    body: {
      entries: entriesOf({
        workspaceId: Id,
        issueId: Id,
        issueCreatedAt: Timestamp,
        runIds: z.array(Id),
      }),
    },
    result: null,
    idempotent: true,
  }),
  recordRaises: action({
    summary: 'Record the issues that effects of runs have raised',
    access: { who: 'internal' },
    body: {
      entries: entriesOf({
        workspaceId: Id,
        raiseId: z.string(),
        issueId: Id,
        issueCreatedAt: Timestamp,
      }),
    },
    result: null,
    idempotent: true,
  }),
};
