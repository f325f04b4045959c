import { z } from 'zod';
import { MEMBERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { IdText, listQuery, pageOf } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import {
  DiffTooLarge,
  FlowHasNoVersion,
  TooManyFiles,
  VersionOutdated,
} from '../flows.problems.ts';
import {
  contentExample,
  diffExample,
  flowExample,
  graphExample,
  versionExample,
} from './examples.ts';
import { FlowVersion } from './resources.ts';
import { COMPILING_MS, ofFlow, readsFlow, storesVersion } from './terms.ts';

/** The operations on the versions of a flow. */
export const versionActions = {
  listVersions: action({
    ...readsFlow,
    summary: 'The versions of a flow, newest first',
    route: 'GET /flows/:flowId/versions',
    tool: true,
    path: { flowId: IdText },
    query: listQuery,
    result: pageOf(FlowVersion),
    format: 'page',
    example: { answer: [versionExample] },
  }),
  getVersion: action({
    ...readsFlow,
    summary: 'The file of one version, as it was given',
    route: 'GET /flows/:flowId/versions/:versionId',
    tool: true,
    etag: true,
    path: { flowId: IdText, versionId: IdText },
    result: z.string(),
    format: 'text',
    example: { answer: contentExample },
  }),
  diff: action({
    ...readsFlow,
    summary: 'What changed from one version of a flow to another',
    description:
      'A unified diff with three lines around each change, as `patch` and `git apply` take it; empty for versions with the same file. Files that differ in too many lines are shown as one change that replaces all lines from the first different one to the last. A diff over 800 KiB is 409 `DIFF_TOO_LARGE`.',
    route: 'GET /flows/:flowId/versions/:a/diff/:b',
    tool: true,
    etag: true,
    path: {
      flowId: IdText,
      a: IdText.meta({ description: 'The id of the earlier version' }),
      b: IdText.meta({ description: 'The id of the later version' }),
    },
    timeoutMs: COMPILING_MS,
    result: z.string(),
    format: 'text',
    errors: [NotFound, TooManyFiles, DiffTooLarge],
    example: { parameters: { a: 1, b: 2 }, answer: diffExample },
  }),
  restore: action({
    ...storesVersion,
    summary: 'Store the file of an earlier version as a new version',
    description:
      'The file is checked as `PUT /flows` does. A version with the same file as the newest one changes nothing.',
    route: 'POST /flows/:flowId/versions/:versionId/restore',
    tool: true,
    audit: { resource: 'flow' },
    idempotency: { sequence: 'flow_versions' },
    access: { who: 'member', roles: MEMBERS, in: ofFlow },
    path: { flowId: IdText, versionId: IdText },
    example: { answer: { ...flowExample, versionId: 3 } },
  }),
  graph: action({
    ...readsFlow,
    summary: 'The newest version of a flow as a Mermaid flowchart',
    description:
      'Text that Mermaid draws: a node for each task, with its jumps, branches, loops and handlers of errors.',
    route: 'GET /flows/:flowId/graph',
    tool: true,
    etag: true,
    path: { flowId: IdText },
    timeoutMs: COMPILING_MS,
    result: z.string(),
    format: 'text',
    errors: [NotFound, FlowHasNoVersion, VersionOutdated, TooManyFiles],
    example: { answer: graphExample },
  }),
};
