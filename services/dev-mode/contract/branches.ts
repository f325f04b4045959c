import { action } from '../../../contract/contract.ts';
import { listQuery, pageOf } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { CHECKING_MS, WorkflowSteps } from '../../workflow-steps/step-fields.ts';
import { TooManyStepChecks } from '../../workflow-steps/step-problems.ts';
import { mergedExample } from '../../workflows/contract/examples.ts';
import { BranchConflicts, BranchHasProblems } from '../dev-mode.problems.ts';
import { branchExample, editExample } from './examples.ts';
import { Branch, Edit } from './resources.ts';
import { branchPath, edits, ofWorkspace, reads } from './sources.ts';

/** The operations on whole branches. */
export const branchActions = {
  getBranch: action({
    summary: 'The branch of a workflow, with its differences from what is published',
    description:
      'Its steps are in order, deleted steps of its base in their places. Their `status` is told from the base; `diff` compares with what is published now. Until the first edit there is no branch: 404.',
    route: 'GET /dev-mode/branches/:workflowId',
    tool: true,
    etag: true,
    access: reads,
    path: branchPath,
    query: ofWorkspace,
    timeoutMs: CHECKING_MS,
    result: Branch,
    errors: [NotFound],
    idempotent: true,
    example: { answer: branchExample },
  }),
  listEdits: action({
    summary: 'The edits of a branch, from the first on',
    description:
      'An edit that changes nothing is no edit. The history goes on after a publication, and goes with the branch when it is discarded.',
    route: 'GET /dev-mode/branches/:workflowId/history',
    tool: true,
    access: reads,
    path: branchPath,
    query: { ...ofWorkspace, ...listQuery },
    result: pageOf(Edit),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [editExample] },
  }),
  publish: action({
    summary: 'Publish a branch',
    description:
      'Merges step by step with what is published, which may have moved since the base of the branch: a step that was changed on one side only is taken from that side, and so is the order. Refused while the merged steps have problems, and when the same step was changed on both sides: `problems` or `conflicts` of the answer says which. Give a step in conflict the published definition and position, or delete it where it is not published; publish, and edit it again. Without a difference nothing changes. The branch stays, based on what was published, so that its revisions and its history go on. Executions that are under way keep their steps.',
    route: 'POST /dev-mode/branches/:workflowId/publish',
    tool: { destructive: true },
    audit: { resource: 'workflow' },
    access: edits,
    path: branchPath,
    query: ofWorkspace,
    timeoutMs: CHECKING_MS,
    result: WorkflowSteps,
    errors: [NotFound, BranchHasProblems, BranchConflicts, TooManyStepChecks],
    example: { answer: mergedExample },
  }),
  discard: action({
    summary: 'Discard a branch and its history',
    description: 'What is published stays. The next edit makes a new branch.',
    route: 'DELETE /dev-mode/branches/:workflowId',
    tool: true,
    etag: true,
    audit: { resource: 'workflow' },
    access: edits,
    path: branchPath,
    query: ofWorkspace,
    result: null,
    status: 204,
    errors: [NotFound],
  }),
};
