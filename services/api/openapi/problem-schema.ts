import type { JsonSchema } from '../../../contract/json-schemas.ts';
import { Dependency } from '../api.contract.ts';

/** What every failure answers. Some problems have members of their own. */
export const PROBLEM: JsonSchema = {
  type: 'object',
  description:
    'A failure (RFC 9457). `code` is stable; `errors` names each value that a 400 refuses.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
  properties: {
    type: { type: 'string', examples: ['urn:problem:invalid-request'] },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'One sentence for a person' },
    instance: { type: 'string', description: 'The request id' },
    code: { type: 'string', examples: ['INVALID_REQUEST'] },
    dependencies: {
      type: 'object',
      description:
        'Of a service that is not ready: the state by dependency. `full` is a database whose disk is full',
      additionalProperties: { type: 'string', enum: Dependency.options },
    },
    version: { type: 'string', description: 'Of a service that is not ready: its version' },
    commit: {
      type: 'string',
      description: 'Of a service that is not ready: the commit of its source',
    },
    quota: {
      type: 'string',
      description: 'Of a request that passes a quota: which',
      examples: ['WORKSPACES_PER_PERSON'],
    },
    limit: { type: 'integer', description: 'How much that quota allows' },
    currentRevision: {
      type: 'integer',
      description: 'Of a request that names another revision: the present one',
    },
    nextSequence: {
      type: 'integer',
      description: 'Of a batch of events that is not the next one: the number of the next batch',
    },
    problems: {
      type: 'array',
      description: 'Of a branch that cannot be published or run: why, at most 100',
      items: { $ref: '#/components/schemas/StepProblem' },
    },
    conflicts: {
      type: 'array',
      description:
        'Of a branch that cannot be published: the keys of the steps that were changed in the branch and in what is published',
      items: { type: 'string' },
    },
    usedBy: {
      type: 'array',
      description: 'Of an auth credential in use: what uses it, at most five of them',
      items: {
        type: 'object',
        required: ['type', 'id', 'name'],
        properties: {
          type: { type: 'string', enum: ['api-description', 'configuration-store'] },
          id: { $ref: '#/components/schemas/Id' },
          name: { type: 'string' },
        },
      },
    },
    more: { type: 'integer', description: 'How many others use it' },
    workspaceId: {
      $ref: '#/components/schemas/Id',
      description:
        'Of a user who cannot be deleted: the workspace of which the user is the only owner',
    },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['in', 'path', 'code', 'message'],
        properties: {
          in: { type: 'string', enum: ['query', 'body', 'path', 'header'] },
          path: { type: 'string', description: 'The name as specified, dotted inside bodies' },
          code: { type: 'string' },
          message: { type: 'string' },
          line: { type: 'integer', description: 'From 1; flow files only' },
          column: { type: 'integer', description: 'From 1; flow files only' },
        },
      },
    },
  },
};
