import { z } from 'zod';
import { EVERY_ROLE, MEMBERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import {
  BooleanText,
  Description,
  Id,
  IdText,
  listQuery,
  pageOf,
} from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { HasLiveRuns, TooManyFiles } from '../flows.problems.ts';
import { changedContentExample, contentExample, faultExample, flowExample } from './examples.ts';
import { Fault, Flow, FlowName, FlowWarning } from './resources.ts';
import {
  BODY_LIMIT,
  COMPILING_MS,
  content,
  inWorkspace,
  ofFlow,
  readsFlow,
  storesFile,
  textBody,
  truncateAt,
} from './terms.ts';

/** The operations on flows themselves. */
export const flowActions = {
  create: action({
    ...storesFile,
    summary: 'Make a flow',
    description:
      'With `content` it has its first version. A file with faults is refused: one entry of `errors` for each, with line and column.',
    route: 'POST /flows',
    tool: true,
    audit: { resource: 'flow' },
    uncontended: true,
    idempotency: { sequence: 'flows' },
    access: { who: 'member', roles: MEMBERS, in: inWorkspace },
    body: {
      workspaceId: Id,
      name: FlowName,
      description: Description.optional(),
      content: content.optional(),
    },
    example: {
      body: {
        workspaceId: flowExample.workspaceId,
        name: flowExample.name,
        content: contentExample,
      },
      answer: flowExample,
    },
  }),
  update: action({
    ...storesFile,
    summary: 'Change a flow',
    description:
      'Only what is given changes. `content` that differs from the newest version becomes a new one. What GET answered can be sent back, with its `id` as `flowId`.',
    route: 'PUT /flows',
    tool: true,
    etag: true,
    audit: { resource: 'flow' },
    access: { who: 'member', roles: MEMBERS, in: ofFlow },
    body: {
      flowId: Id,
      id: Id.optional(),
      workspaceId: Id.optional(),
      name: FlowName.optional(),
      description: Description.optional(),
      content: content.optional(),
    },
    readOnly: ['versionId', 'createdAt', 'updatedAt'],
    example: {
      body: { flowId: flowExample.id, content: changedContentExample },
      answer: { ...flowExample, versionId: 2 },
    },
  }),
  get: action({
    ...readsFlow,
    summary: 'One flow',
    route: 'GET /flows/:flowId',
    tool: true,
    etag: true,
    path: { flowId: IdText },
    result: Flow,
    example: { answer: flowExample },
  }),
  remove: action({
    summary: 'Delete a flow, its versions and its transformation tests',
    description:
      'Its runs stay readable by their ids. With `cancel=true` live runs of the flow are cancelled, also those that other flows have started; without it they are the reason of a 409. Pairs of configuration stores that name the flow stay until they are removed.',
    route: 'DELETE /flows/:flowId',
    tool: true,
    etag: true,
    audit: { resource: 'flow' },
    access: { who: 'member', roles: MEMBERS, in: ofFlow },
    path: { flowId: IdText },
    query: {
      cancel: BooleanText.default(false).meta({
        description: 'Whether live runs are cancelled',
        override: { type: 'boolean' },
      }),
    },
    result: null,
    status: 204,
    errors: [NotFound, HasLiveRuns],
  }),
  list: action({
    summary: 'The flows of a workspace',
    route: 'GET /workspaces/:workspaceId/flows',
    tool: true,
    access: { who: 'member', roles: EVERY_ROLE, in: inWorkspace },
    path: { workspaceId: IdText },
    query: listQuery,
    result: pageOf(Flow),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [flowExample] },
  }),
  validate: action({
    summary: 'Check a flow file without storing it',
    description:
      'Warnings hinder nothing. They name the places of what looks like a secret, which belongs in an auth credential.',
    route: 'POST /flows/validate',
    tool: { pure: true },
    audit: { none: 'nothing is stored' },
    idempotency: { none: 'nothing is stored' },
    access: { who: 'authenticated' },
    body: { content },
    textBody,
    bodyLimit: BODY_LIMIT,
    truncateAt,
    timeoutMs: COMPILING_MS,
    result: z.strictObject({
      valid: z.boolean(),
      faults: z.array(Fault),
      warnings: z.array(FlowWarning),
    }),
    errors: [TooManyFiles],
    example: {
      body: { content: 'do: []\nretries: 3\n' },
      answer: { valid: false, faults: [faultExample], warnings: [] },
    },
  }),
};
