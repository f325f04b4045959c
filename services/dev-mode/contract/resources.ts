import { z } from 'zod';
import { ActorRecord } from '../../../contract/audit.ts';
import { Id, Timestamp } from '../../../contract/fields.ts';
import { EDIT_KINDS } from '../../../models/dev-mode-edit.model.ts';
import { StepDefinition, StepKey, StepProblem } from '../../workflow-steps/step-fields.ts';

const count = z.int().nonnegative();

const STEP_STATUSES = ['UNCHANGED', 'ADDED', 'MODIFIED', 'DELETED'] as const;

/** The person, service account or other caller that edited. */
const Editor = ActorRecord.meta({ id: 'Editor' });

export const DevModeStep = z
  .strictObject({
    workflowId: Id,
    key: StepKey,
    position: count.meta({
      description: 'From 0. Of a deleted step, the position at which an edit puts it back',
    }),
    definition: StepDefinition,
    status: z.enum(STEP_STATUSES).meta({
      description:
        'Against the base of the branch; a step that was moved among the others is MODIFIED',
    }),
    revision: count.meta({
      description:
        'The number of the edit that last changed the step, so that no revision comes twice; 0 while the branch has not changed it',
    }),
    updatedBy: Editor.nullable(),
    updatedAt: Timestamp.nullable(),
  })
  .meta({ id: 'DevModeStep' });
export type DevModeStep = z.output<typeof DevModeStep>;

export const Snapshot = z
  .strictObject({
    id: count.meta({
      description: 'The number of the edit that has led to it; a branch counts its edits from 1',
    }),
    hash: z.string().meta({ description: 'Of the steps and their order: equal steps, equal hash' }),
    createdAt: Timestamp,
    stepCount: count.meta({ description: 'Without deleted steps' }),
  })
  .meta({ id: 'DevModeSnapshot' });
export type Snapshot = z.output<typeof Snapshot>;

const problems = z.array(StepProblem).meta({
  description:
    'What hinders the publication of the branch: the first 100, and where there are more, one further entry that says how many (`TOO_MANY_FAULTS`). `NOT_CHECKED`: it is stored and could not be checked now; reading the branch checks it again',
});

export const StepMutation = z
  .strictObject({ step: DevModeStep, snapshot: Snapshot, problems })
  .meta({ id: 'DevModeStepMutationResponse' });
export type StepMutation = z.output<typeof StepMutation>;

export const BranchSnapshot = z
  .strictObject({
    workspaceId: Id,
    workflowId: Id,
    snapshot: Snapshot,
    steps: z.array(DevModeStep),
  })
  .meta({ id: 'DevModeWorkspaceSnapshotResponse' });
export type BranchSnapshot = z.output<typeof BranchSnapshot>;

const STEP_CHANGES = ['ADDED', 'MODIFIED', 'DELETED', 'MOVED'] as const;

/** A difference between a step of the branch and the published step. */
const StepDifference = z
  .strictObject({
    key: StepKey,
    change: z.enum(STEP_CHANGES),
    published: StepDefinition.nullable().optional().meta({
      description:
        'Null for an added step. Left out beyond 64 KiB of published definitions in one answer: `GET /workflow/{id}/steps` has them',
    }),
    conflict: z.boolean().meta({
      description:
        'Whether the step was changed differently in the branch and in what is published since the base of the branch',
    }),
  })
  .meta({ id: 'DevModeStepDifference' });
export type StepDifference = z.output<typeof StepDifference>;

export const Branch = z
  .strictObject({
    ...BranchSnapshot.shape,
    baseRevision: count.meta({ description: 'The published revision that the branch is based on' }),
    publishedRevision: count.meta({ description: 'The revision that is published now' }),
    diff: z.array(StepDifference).meta({
      description:
        'Against what is published now, so that it has steps which were published since the base as well. The publication of the branch keeps those',
    }),
    problems,
  })
  .meta({ id: 'DevModeBranch' });
export type Branch = z.output<typeof Branch>;

export const EditKind = z.enum(EDIT_KINDS).meta({
  id: 'DevModeEditKind',
  description:
    'RESTORED: a deleted step came back. REBASED: the branch took over what was published otherwise',
});
export type EditKind = z.output<typeof EditKind>;

export const Edit = z
  .strictObject({
    snapshot: Snapshot,
    key: StepKey.nullable().meta({ description: 'Null for an edit of several steps' }),
    kind: EditKind,
    updatedBy: Editor,
    updatedAt: Timestamp,
  })
  .meta({ id: 'DevModeEdit' });
export type Edit = z.output<typeof Edit>;
