import { z } from 'zod';
import { EVERY_ROLE, MEMBERS } from '../../contract/access-rule.ts';
import { action, defineContract } from '../../contract/contract.ts';
import { Description, Id, IdText, listQuery, Name, pageOf } from '../../contract/fields.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { NotFound } from '../../contract/problem.ts';
import { contentExample, faultExample, flowExample, versionExample } from './contract/examples.ts';
import {
  CheckedFlow,
  Fault,
  Flow,
  FlowName,
  FlowVersion,
  FlowWarning,
  WarningCount,
} from './contract/resources.ts';
import { FlowNameTaken, FlowTooComplex, TooManyFiles } from './flows.problems.ts';

/** Bytes of a body with a flow file, with the escapes of JSON. Beyond it the answer is 413. */
const BODY_LIMIT = 1024 * 1024;
/** Bytes of a file. The gateway cuts a longer file, and the service refuses the file by its length. */
const truncateAt = { content: 256 * 1024 };
/** Milliseconds of the deadline, beyond which the call fails. A check takes up to 2 s of CPU time, after queued checks. */
const COMPILING_MS = 30_000;

const inWorkspace = { parameter: 'workspaceId' };
const ofFlow = { resource: 'flow', parameter: 'flowId' } as const;
const readsFlow = {
  access: { who: 'member', roles: EVERY_ROLE, in: ofFlow },
  errors: [NotFound],
  idempotent: true,
} as const;

const content = z
  .string()
  .meta({ description: 'A flow file, YAML or JSON, kept as given; at most 256 KiB of UTF-8' });
const storesFile = {
  bodyLimit: BODY_LIMIT,
  truncateAt,
  timeoutMs: COMPILING_MS,
  result: CheckedFlow,
  resultHeaders: {
    body: Flow,
    fields: {
      warnings: {
        header: 'X-Flow-Warnings',
        type: WarningCount,
        description:
          'Number of warnings of a new file, 101 where there are more; absent when no file was checked. `POST /flows/validate` names them.',
      },
    },
  },
  errors: [NotFound, FlowNameTaken, FlowTooComplex, TooManyFiles],
} as const;

export const flowsContract = defineContract('flows', 'Flow files and their versions', {
  create: action({
    ...storesFile,
    summary: 'Make a flow',
    description:
      'With `content` it has its first version. A file with faults is refused: one entry of `errors` for each, with line and column.',
    route: 'POST /flows',
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
    example: { body: { flowId: flowExample.id, content: contentExample }, answer: flowExample },
  }),
  get: action({
    ...readsFlow,
    summary: 'One flow',
    route: 'GET /flows/:flowId',
    etag: true,
    path: { flowId: IdText },
    result: Flow,
    example: { answer: flowExample },
  }),
  list: action({
    summary: 'The flows of a workspace',
    route: 'GET /workspaces/:workspaceId/flows',
    access: { who: 'member', roles: EVERY_ROLE, in: inWorkspace },
    path: { workspaceId: IdText },
    query: listQuery,
    result: pageOf(Flow),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [flowExample] },
  }),
  listVersions: action({
    ...readsFlow,
    summary: 'The versions of a flow, newest first',
    route: 'GET /flows/:flowId/versions',
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
    etag: true,
    path: { flowId: IdText, versionId: IdText },
    result: z.string(),
    format: 'text',
    example: { answer: contentExample },
  }),
  validate: action({
    summary: 'Check a flow file without storing it',
    description:
      'Warnings hinder nothing. They name the places of what looks like a secret, which belongs in an auth credential.',
    route: 'POST /flows/validate',
    audit: { none: 'nothing is stored' },
    idempotency: { none: 'nothing is stored' },
    access: { who: 'authenticated' },
    body: { content },
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
  versionForRun: action({
    summary: 'What a run of a flow executes: the newest version, or the one named',
    description: 'Without such a version `versionId` and `content` are null.',
    access: { who: 'internal' },
    body: { flowId: Id, versionId: Id.optional() },
    result: z.strictObject({
      flow: z.strictObject({ id: Id, workspaceId: Id, name: Name }),
      versionId: Id.nullable(),
      content: z.string().nullable(),
    }),
    errors: [NotFound],
    idempotent: true,
  }),
  versionsToRun: action({
    summary: 'What starts of runs execute, in their order: the newest versions, or those named',
    description:
      'Null for a flow that does not exist; without such a version `versionId` and `content` are null. The content is left out of a version that the caller knows, and of further ones when the answer would become too long.',
    access: { who: 'internal' },
    body: {
      starts: z
        .array(
          z.strictObject({
            flowId: Id,
            versionId: Id.optional(),
            knownVersionId: Id.optional(),
          }),
        )
        .max(100),
    },
    result: z.strictObject({
      versions: z.array(
        z
          .strictObject({
            flow: z.strictObject({ id: Id, workspaceId: Id, name: Name }),
            versionId: Id.nullable(),
            content: z.string().nullable().optional(),
          })
          .nullable(),
      ),
    }),
    idempotent: true,
  }),
  flowIdByName: action({
    summary: 'The id of the flow of a workspace with this name; null without such a flow',
    access: { who: 'internal' },
    body: { workspaceId: Id, name: z.string() },
    result: z.strictObject({ flowId: Id.nullable() }),
    idempotent: true,
  }),
  flowsByIds: action({
    summary: 'Those of the flows that there are, with the newest version of each',
    access: { who: 'internal' },
    body: { ids: z.array(Id).max(1000) },
    result: z.strictObject({
      flows: z.array(
        z.strictObject({ id: Id, workspaceId: Id, name: Name, versionId: Id.nullable() }),
      ),
    }),
    idempotent: true,
  }),
  ...lifecycleActions,
});
