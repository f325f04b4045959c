import { z } from 'zod';
import { EVERY_ROLE, MEMBERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { IdText } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import {
  CHECKING_MS,
  DEFINITION_DEPTH,
  DEFINITION_VALUES,
  MAX_STEPS,
  Step,
  WorkflowSteps,
} from '../../workflow-steps/step-fields.ts';
import {
  StaleRevision,
  StepsTooComplex,
  TooManyStepChecks,
} from '../../workflow-steps/step-problems.ts';
import { stepsExample, textExample } from './examples.ts';

/** Bytes of a body with all steps of a workflow, with white space and escapes of JSON. Beyond it the answer is 413. */
const BODY_LIMIT = 1024 * 1024;
/** Levels of a body around a definition: the body, its list, and a step. */
const LEVELS_AROUND = 3;

const ofWorkflow = { resource: 'workflow', parameter: 'id' } as const;
const readsWorkflow = {
  access: { who: 'member', roles: EVERY_ROLE, in: ofWorkflow },
  path: { id: IdText },
  errors: [NotFound],
  idempotent: true,
} as const;

/** The operations on the published steps of a workflow. */
export const stepActions = {
  getSteps: action({
    ...readsWorkflow,
    summary: 'The published steps of a workflow',
    route: 'GET /workflow/:id/steps',
    tool: true,
    etag: true,
    result: WorkflowSteps,
    example: { answer: stepsExample },
  }),
  setSteps: action({
    summary: 'Publish steps directly',
    description:
      'For tools that keep the steps elsewhere; people edit and publish in Dev Mode. The steps replace those that are published, and `revision` grows by 1; equal steps change nothing. They have to be a valid flow file together: a 400 has one entry of `errors` for each fault, with its place. All definitions take at most 256 KiB of JSON. Executions that are under way keep their steps. What GET answered can be sent back.',
    route: 'PUT /workflow/:id/steps',
    tool: true,
    etag: true,
    audit: { resource: 'workflow' },
    access: { who: 'member', roles: MEMBERS, in: ofWorkflow },
    path: { id: IdText },
    body: {
      steps: z
        .array(Step)
        .max(MAX_STEPS, `must have at most ${MAX_STEPS} steps`)
        .meta({ description: 'All steps, in their order' }),
      expectedRevision: z.int().nonnegative().optional().meta({
        description: 'Another revision than the published one is a 409 with `currentRevision`',
      }),
    },
    readOnly: ['revision'],
    bodyLimit: BODY_LIMIT,
    bodyDepth: DEFINITION_DEPTH + LEVELS_AROUND,
    bodyValues: DEFINITION_VALUES,
    timeoutMs: CHECKING_MS,
    result: WorkflowSteps,
    errors: [NotFound, StaleRevision, StepsTooComplex, TooManyStepChecks],
    example: { body: { steps: stepsExample.steps }, answer: stepsExample },
  }),
  getText: action({
    ...readsWorkflow,
    summary: 'The published steps as a flow file',
    description:
      'The steps, in order, are the `do` of the file. `POST /flows` takes it as `content`.',
    route: 'GET /workflow/:id/text',
    tool: true,
    etag: true,
    timeoutMs: CHECKING_MS,
    result: z.string(),
    format: 'yaml',
    errors: [NotFound, TooManyStepChecks],
    example: { answer: textExample },
  }),
};
