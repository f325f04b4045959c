import type { Answer, RequestOptions } from './http.ts';
import type { Person } from './people.ts';
import type { RunAnswer } from './runs.ts';

export interface WorkflowStep {
  key: string;
  definition: object;
}

/** An execution, as the service answers it. */
export type ExecutionAnswer = Omit<RunAnswer, 'versionId'> & {
  workflowId: number;
  workflowName: string;
  revision: number;
  draft?: true;
};

/** Creates a workflow, and publishes its steps if there are any. Returns its id. */
export async function createWorkflow(
  owner: Person,
  workspaceId: number,
  steps: readonly WorkflowStep[] = [],
  name = `workflow-${Math.random().toString(36).slice(2)}`,
): Promise<number> {
  const { status, body, text } = await owner.call<{ id: number }>('POST', '/workflow', {
    body: { workspaceId, name, description: '' },
  });
  if (status !== 200) throw new Error(`creating a workflow answered ${status}: ${text}`);
  if (steps.length) await publishSteps(owner, body.id, steps);
  return body.id;
}

/** Publishes steps directly. Returns the revision. */
export async function publishSteps(
  owner: Person,
  workflowId: number,
  steps: readonly WorkflowStep[],
): Promise<number> {
  const { status, body, text } = await owner.call<{ revision: number }>(
    'PUT',
    `/workflow/${workflowId}/steps`,
    { body: { steps } },
  );
  if (status !== 200) throw new Error(`publishing steps answered ${status}: ${text}`);
  return body.revision;
}

/** Edits a step of the branch. Returns the id of its snapshot. */
export async function editStep(
  owner: Person,
  at: { workspaceId: number; workflowId: number },
  { key, definition }: WorkflowStep,
): Promise<number> {
  const { workspaceId, workflowId } = at;
  const { status, body, text } = await owner.call<{ snapshot: { id: number } }>(
    'PUT',
    `/dev-mode/branches/${workflowId}/steps/${key}`,
    { query: { workspaceId }, body: { definition } },
  );
  if (status !== 200) throw new Error(`editing a step answered ${status}: ${text}`);
  return body.snapshot.id;
}

export const execute = <T = ExecutionAnswer>(
  owner: Person,
  workflowId: number,
  options: RequestOptions = {},
): Promise<Answer<T>> => owner.call<T>('POST', `/workflow/${workflowId}/execute`, options);

export const executeDraft = <T = ExecutionAnswer>(
  owner: Person,
  { workspaceId, workflowId }: { workspaceId: number; workflowId: number },
  { query, ...options }: RequestOptions = {},
): Promise<Answer<T>> =>
  owner.call<T>('POST', `/dev-mode/branches/${workflowId}/run`, {
    ...options,
    query: { workspaceId, ...query },
  });
