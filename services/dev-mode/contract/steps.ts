import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { NotFound } from '../../../contract/problem.ts';
import {
  CHECKING_MS,
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

const parameters = { key: stepExample.key };

/** The operations on the steps of a branch. */
export const stepActions = {
  getStep: action({
    summary: 'One step of a branch',
    description:
      'Without a branch it is the published step. A deleted step of the base is shown as DELETED until the branch is published; another deleted step is a 404.',
    route: 'GET /dev-mode/branches/:workflowId/steps/:key',
    tool: true,
    etag: true,
    access: reads,
    path: stepPath,
    query: ofWorkspace,
    result: DevModeStep,
    errors: [NotFound],
    idempotent: true,
    example: { parameters, answer: stepExample },
  }),
  editStep: action({
    summary: 'Edit or add a step of a branch',
    description:
      'The first edit makes the branch from what is published. An invalid definition is stored as well: `problems` names what hinders the publication of the branch, with key and place. A new step comes last unless `position` is given; a deleted step comes back to its place. A branch has at most 500 steps, whose definitions take at most 256 KiB of JSON together. An edit that changes nothing is no edit. `If-Match` and the `ETag` of the answer are those of the step, as GET answers it. What GET answered can be sent back.',
    route: 'PUT /dev-mode/branches/:workflowId/steps/:key',
    tool: true,
    etag: { of: 'step' },
    audit: { resource: 'workflow' },
    access: edits,
    path: stepPath,
    query: ofWorkspace,
    body: {
      definition: StepDefinition,
      position: z.int().nonnegative().optional().meta({
        description:
          'From 0, among the steps that are not deleted; the steps behind it are shifted. Where the step is unless given',
      }),
      expectedRevision: z.int().nonnegative().optional().meta({
        description:
          'Another revision than that of the step is a 409 with `currentRevision`; 0 for a new step',
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
      parameters,
      body: { definition: stepExample.definition, expectedRevision: 0 },
      answer: { step: stepExample, snapshot: snapshotExample, problems: [] },
    },
  }),
  removeStep: action({
    summary: 'Delete a step of a branch',
    description:
      'The answer is the whole snapshot afterwards. A step of the base stays as DELETED, and an edit brings it back; another step is gone. A step that is deleted already stays so. `If-Match` takes the ETag of GET of the step.',
    route: 'DELETE /dev-mode/branches/:workflowId/steps/:key',
    tool: true,
    etag: true,
    audit: { resource: 'workflow' },
    access: edits,
    path: stepPath,
    query: ofWorkspace,
    result: BranchSnapshot,
    errors: [NotFound],
    example: {
      parameters,
      answer: { workspaceId: 1, workflowId: 1, snapshot: snapshotExample, steps: [stepExample] },
    },
  }),
};
