import { MEMBERS, WORKERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { Id, IdText, listQuery, Name, pageOf } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { RecordingFinished } from '../recordings.problems.ts';
import { Screen } from './event-fields.ts';
import { recordingExample } from './examples.ts';
import { Recording } from './resources.ts';

const inWorkspace = { parameter: 'workspaceId' } as const;
const ofRecording = { resource: 'recording', parameter: 'id' } as const;

/** Recorders begin and end recordings. Models work on what was recorded. */
const OF_RECORDERS = { none: 'a recorder calls it while a person works' } as const;

const changesStatus = {
  tool: OF_RECORDERS,
  audit: { resource: 'recording' },
  access: { who: 'member', roles: MEMBERS, in: ofRecording },
  path: { id: IdText },
  result: Recording,
} as const;

/** The operations on recordings themselves. */
export const recordingActions = {
  create: action({
    summary: 'Begin a recording',
    description:
      'It is RECORDING at once. `screen` is the one that the events happen on, until an event names another one.',
    route: 'POST /recordings',
    tool: OF_RECORDERS,
    audit: { resource: 'recording' },
    uncontended: true,
    idempotency: { sequence: 'recordings' },
    access: { who: 'member', roles: MEMBERS, in: inWorkspace },
    body: { workspaceId: Id, name: Name, screen: Screen },
    result: Recording,
    status: 201,
    errors: [NotFound, QuotaReached],
    example: {
      body: { workspaceId: 1, name: recordingExample.name, screen: recordingExample.screen },
      answer: { ...recordingExample, nextSequence: 1, eventCount: 0 },
    },
  }),
  get: action({
    summary: 'One recording',
    route: 'GET /recordings/:id',
    tool: true,
    etag: true,
    access: { who: 'member', roles: WORKERS, in: ofRecording },
    path: { id: IdText },
    result: Recording,
    errors: [NotFound],
    idempotent: true,
    example: { answer: recordingExample },
  }),
  list: action({
    summary: 'The recordings of a workspace',
    route: 'GET /workspaces/:workspaceId/recordings',
    tool: true,
    access: { who: 'member', roles: WORKERS, in: inWorkspace },
    path: { workspaceId: IdText },
    query: listQuery,
    result: pageOf(Recording),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [recordingExample] },
  }),
  pause: action({
    ...changesStatus,
    summary: 'Pause a recording',
    description:
      'A paused recording takes no further events, and stays as it is when it is paused again.',
    route: 'POST /recordings/:id/pause',
    errors: [NotFound, RecordingFinished],
    example: { answer: { ...recordingExample, status: 'PAUSED' } },
  }),
  resume: action({
    ...changesStatus,
    summary: 'Resume a paused recording',
    description: 'A recording that is not paused, and not finished, stays as it is.',
    route: 'POST /recordings/:id/resume',
    errors: [NotFound, RecordingFinished],
    example: { answer: recordingExample },
  }),
  finish: action({
    ...changesStatus,
    summary: 'Finish a recording, paused or not',
    description: 'A finished recording takes no further events, and stays as it is.',
    route: 'POST /recordings/:id/finish',
    errors: [NotFound],
    example: {
      answer: {
        ...recordingExample,
        status: 'FINISHED',
        finishedAt: '2026-01-31T09:40:00.000Z',
      },
    },
  }),
  remove: action({
    summary: 'Delete a recording and its events',
    route: 'DELETE /recordings/:id',
    tool: true,
    etag: true,
    audit: { resource: 'recording' },
    access: { who: 'member', roles: MEMBERS, in: ofRecording },
    path: { id: IdText },
    result: null,
    status: 204,
    errors: [NotFound],
  }),
};
