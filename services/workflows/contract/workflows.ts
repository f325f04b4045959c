import { EVERY_ROLE, MEMBERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import {
  BooleanText,
  Description,
  Id,
  IdText,
  listQuery,
  Name,
  pageOf,
} from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { HasLiveExecutions } from '../workflows.problems.ts';
import { workflowExample } from './examples.ts';
import { Workflow } from './resources.ts';

const inWorkspace = { parameter: 'workspaceId' } as const;
const ofWorkflow = { resource: 'workflow', parameter: 'id' } as const;

/** The operations on workflows themselves. */
export const workflowActions = {
  create: action({
    summary: 'Create a workflow',
    description: 'It has no steps until some are published.',
    route: 'POST /workflow',
    tool: true,
    audit: { resource: 'workflow' },
    uncontended: true,
    idempotency: { sequence: 'workflows' },
    access: { who: 'member', roles: MEMBERS, in: inWorkspace },
    body: { workspaceId: Id, name: Name, description: Description },
    result: Workflow,
    errors: [NotFound],
    example: {
      body: { workspaceId: 1, name: workflowExample.name, description: '' },
      answer: { ...workflowExample, description: '' },
    },
  }),
  update: action({
    summary: 'Change the name or the description of a workflow',
    description:
      'Only what is given changes. What GET answered can be sent back, with its `id` as `workflowId`.',
    route: 'PUT /workflow',
    tool: true,
    etag: true,
    audit: { resource: 'workflow' },
    access: {
      who: 'member',
      roles: MEMBERS,
      in: { resource: 'workflow', parameter: 'workflowId' },
    },
    body: {
      workflowId: Id,
      id: Id.optional(),
      workspaceId: Id.optional(),
      name: Name.optional(),
      description: Description.optional(),
    },
    readOnly: ['createdAt'],
    result: Workflow,
    errors: [NotFound],
    example: {
      body: { workflowId: workflowExample.id, name: workflowExample.name },
      answer: workflowExample,
    },
  }),
  get: action({
    summary: 'One workflow',
    route: 'GET /workflow/:id',
    tool: true,
    etag: true,
    access: { who: 'member', roles: EVERY_ROLE, in: ofWorkflow },
    path: { id: IdText },
    result: Workflow,
    errors: [NotFound],
    idempotent: true,
    example: { answer: workflowExample },
  }),
  remove: action({
    summary: 'Delete a workflow, its steps and its branch',
    description:
      'Its executions stay readable by their ids. With `cancel=true` live executions are cancelled; without it they are the reason of a 409.',
    route: 'DELETE /workflow/:id',
    tool: true,
    etag: true,
    audit: { resource: 'workflow' },
    access: { who: 'member', roles: MEMBERS, in: ofWorkflow },
    path: { id: IdText },
    query: {
      cancel: BooleanText.default(false).meta({
        description: 'Whether live executions are cancelled',
        override: { type: 'boolean' },
      }),
    },
    result: null,
    errors: [NotFound, HasLiveExecutions],
  }),
  list: action({
    summary: 'The workflows of a workspace',
    route: 'GET /workspaces/:workspaceId/workflows',
    tool: true,
    access: { who: 'member', roles: EVERY_ROLE, in: inWorkspace },
    path: { workspaceId: IdText },
    query: listQuery,
    result: pageOf(Workflow),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [workflowExample] },
  }),
};
