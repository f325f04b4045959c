import { invalidField, isProblem, Problem } from '../../../contract/problem.ts';
import { hashOf } from '../../../support/hash.ts';
import type { Actions } from '../../contracts.ts';
import { BranchHasProblems } from '../../dev-mode/dev-mode.problems.ts';
import { hasNoVersion } from '../../flows/flows.problems.ts';
import type { StoredStep } from '../../workflow-steps/step-fields.ts';
import { flowFileOf } from '../../workflow-steps/stored-steps.ts';
import { WorkflowHasNoSteps } from '../runs.problems.ts';
import type { VersionToRun } from './flow-lookup.ts';
import type { Program } from './prepare-run.ts';

type Workflow = Actions['workflows.published']['result']['workflow'];

/** Makes the program of a start of a flow. `wanted` is the version that the request names. */
export function flowProgram(
  { flow, versionId, content }: VersionToRun,
  wanted: number | null | undefined,
): Program {
  const { id: flowId, name: flowName, workspaceId } = flow;
  if (versionId === null || content === null) {
    return { workspaceId, refusal: noVersion(flowName, wanted) };
  }
  return { workspaceId, fields: { flowId, flowName, versionId }, content };
}

/** The steps of an execution: those of a published revision, or those of a draft's snapshot. */
export interface StepsToRun {
  revision: number;
  draft?: true;
  steps: readonly StoredStep[];
}

/** Makes the program of an execution of a workflow. Steps with problems, which `find` refuses, are a refusal. */
export async function executionProgram(
  workflow: Workflow,
  find: (workflowId: number) => Promise<StepsToRun>,
): Promise<Program> {
  try {
    return programOf(workflow, await find(workflow.id));
  } catch (error) {
    if (!isProblem(error, BranchHasProblems)) throw error;
    return { workspaceId: workflow.workspaceId, refusal: error };
  }
}

function programOf(
  { id: workflowId, name: workflowName, workspaceId }: Workflow,
  { steps, ...version }: StepsToRun,
): Program {
  if (!steps.length) return { workspaceId, refusal: noSteps(workflowName) };
  const content = flowFileOf(steps);
  const contentHash = hashOf(content);
  const execution = { workflowId, workflowName, ...version, content, contentHash };
  return { workspaceId, fields: { execution }, content };
}

function noVersion(flowName: string, wanted: number | null | undefined): Problem {
  return wanted
    ? invalidField('versionId', 'unknown_version', `is not a version of ${flowName}`)
    : hasNoVersion(flowName);
}

const noSteps = (workflowName: string): Problem =>
  new Problem(WorkflowHasNoSteps, `The workflow ${workflowName} has no steps that could be run.`);
