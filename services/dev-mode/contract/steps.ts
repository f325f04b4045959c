import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { NotFound } from '../../../contract/problem.ts';
import {
  DEFINITION_DEPTH,
  DEFINITION_VALUES,
  StepDefinition,
} from '../../workflow-steps/step-fields.ts';
import { StaleRevision } from '../../workflow-steps/step-problems.ts';
import { snapshotExample, stepExample } from './examples.ts';
import { BranchSnapshot, DevModeStep, StepMutation } from './resources.ts';
import { edits, ofWorkspace, reads, stepPath } from './sources.ts';

/** Bytes of a body with one definition, with white space and escapes of JSON. Beyond it the answer is 413. */
const BODY_LIMIT = 512 * 1024;
/** Levels of a body around a definition. */
const LEVELS_AROUND = 1;
/** Milliseconds of the deadline, beyond which the call fails. A check takes up to 2 s of CPU time, after queued checks. */
const CHECKING_MS = 30_000;

/** The operations on the steps of a branch. */
export const stepActions = {
  getStep: action({
    summary: 'One step of a branch',
    description:
      'Without a branch it is the published step. A deleted step is shown as DELETED until the branch is published.',
    route: 'GET /dev-mode/branches/:workflowId/steps/:key',
    etag: true,
    access: reads,
    path: stepPath,
    query: ofWorkspace,
    result: DevModeStep,
    errors: [NotFound],
    idempotent: true,
    example: { answer: stepExample },
  }),
  editStep: action({
    summary: 'Edit or add a step of a branch',
    description:
      'The first edit makes the branch from what is published. An invalid definition is stored as well, and `problems` names what hinders its publication. A new step comes last unless `position` is given. What GET answered can be sent back.',
    route: 'PUT /dev-mode/branches/:workflowId/steps/:key',
    etag: { of: 'step' },
    audit: { resource: 'workflow' },
    access: edits,
    path: stepPath,
    query: ofWorkspace,
    body: {
      definition: StepDefinition,
      position: z.int().nonnegative().optional().meta({
        description: 'From 0; the steps behind it are shifted',
      }),
      expectedRevision: z.int().nonnegative().optional().meta({
        description: 'Another revision than that of the step is a 409 with `currentRevision`',
      }),
    },
    readOnly: ['workflowId', 'key', 'status', 'revision', 'updatedBy', 'updatedAt'],
    bodyLimit: BODY_LIMIT,
    bodyDepth: DEFINITION_DEPTH + LEVELS_AROUND,
    bodyValues: DEFINITION_VALUES,
    timeoutMs: CHECKING_MS,
    result: StepMutation,
    errors: [NotFound, StaleRevision],
    example: {
      body: { definition: stepExample.definition, expectedRevision: 2 },
      answer: { step: stepExample, snapshot: snapshotExample, problems: [] },
    },
  }),
  removeStep: action({
    summary: 'Delete a step of a branch',
    description: 'The answer is the whole snapshot. A step that is published stays as DELETED.',
    route: 'DELETE /dev-mode/branches/:workflowId/steps/:key',
    etag: true,
    audit: { resource: 'workflow' },
    access: edits,
    path: stepPath,
    query: ofWorkspace,
    result: BranchSnapshot,
    errors: [NotFound],
    example: {
      answer: { workspaceId: 17, workflowId: 81, snapshot: snapshotExample, steps: [stepExample] },
    },
  }),
};
