import type { Result } from '../../fixtures/e2e.ts';
import type { Answer, ProblemBody, RequestOptions } from '../../helpers/http.ts';
import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { sharedServer } from '../../helpers/server.ts';
import { createWorkflow, type WorkflowStep } from '../../helpers/workflows.ts';

export type ShownStep = Result<'dev-mode.getStep'>;
export interface Snapshot {
  id: number;
  hash: string;
  createdAt: string;
  stepCount: number;
}
export interface StepProblem {
  key: string | null;
  path: string;
  code: string;
  message: string;
}
export type Mutation = Result<'dev-mode.editStep'>;
export type ShownBranch = Result<'dev-mode.getBranch'>;
export interface Edit {
  snapshot: Snapshot;
  key: string | null;
  kind: string;
  updatedBy: { id: number };
  updatedAt: string;
}
/** The answer of a call that may be refused. */
export type Refusable<T> = T &
  Omit<ProblemBody, keyof T> & {
    currentRevision: number;
    conflicts: string[];
    problems: StepProblem[];
  };

export const set = (value: unknown): Record<string, unknown> => ({ set: { value } });
export const step = (key: string, value: unknown): WorkflowStep => ({
  key,
  definition: set(value),
});

/** A workflow of a new workspace, and the calls of its branch. */
export class BranchCalls {
  readonly owner: Person;
  readonly url: string;
  readonly workspaceId: number;
  readonly workflowId: number;

  private constructor(url: string, owner: Person, workspaceId: number, workflowId: number) {
    this.url = url;
    this.owner = owner;
    this.workspaceId = workspaceId;
    this.workflowId = workflowId;
  }

  static async create(steps: readonly WorkflowStep[] = []): Promise<BranchCalls> {
    const { url } = await sharedServer();
    const owner = await registerVerified(url, 'Owner');
    const workspaceId = await createWorkspace(owner);
    const workflowId = await createWorkflow(owner, workspaceId, steps);
    return new BranchCalls(url, owner, workspaceId, workflowId);
  }

  send<T>(
    method: string,
    path = '',
    { query, ...options }: RequestOptions = {},
    by: Person = this.owner,
  ): Promise<Answer<T>> {
    return by.call<T>(method, `/dev-mode/branches/${this.workflowId}${path}`, {
      ...options,
      query: { workspaceId: this.workspaceId, ...query },
    });
  }
  get = () => this.send<Refusable<ShownBranch>>('GET');
  getStep = (key: string) => this.send<Refusable<ShownStep>>('GET', `/steps/${key}`);
  edit = (key: string, body: object, options: RequestOptions = {}, by?: Person) =>
    this.send<Refusable<Mutation>>('PUT', `/steps/${key}`, { ...options, body }, by);
  remove = (key: string, options: RequestOptions = {}) =>
    this.send<Refusable<ShownBranch>>('DELETE', `/steps/${key}`, options);
  publish = () =>
    this.send<Refusable<{ revision: number; steps: WorkflowStep[] }>>('POST', '/publish');
  discard = (options: RequestOptions = {}) => this.send('DELETE', '', options);
  history = (query = {}) => this.send<Edit[]>('GET', '/history', { query });

  published = async () =>
    (
      await this.owner.call<{ revision: number; steps: WorkflowStep[] }>(
        'GET',
        `/workflow/${this.workflowId}/steps`,
      )
    ).body;
  publishDirectly = (steps: readonly WorkflowStep[], expectedRevision?: number) =>
    this.owner.call<Refusable<{ revision: number }>>('PUT', `/workflow/${this.workflowId}/steps`, {
      body: { steps, expectedRevision },
    });
}
