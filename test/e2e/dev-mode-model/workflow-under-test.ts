import type { Answer, ProblemBody } from '../../helpers/http.ts';
import type { Person } from '../../helpers/people.ts';
import { waitFor } from '../../helpers/wait.ts';
import { createWorkflow } from '../../helpers/workflows.ts';
import type { ModelStep } from './model.ts';

interface ShownStep {
  key: string;
  position: number;
  definition: Record<string, Record<string, number>>;
  status: 'UNCHANGED' | 'ADDED' | 'MODIFIED' | 'DELETED';
  revision: number;
}
export interface ShownBranch {
  snapshot: { id: number; hash: string; stepCount: number };
  steps: ShownStep[];
  baseRevision: number;
  publishedRevision: number;
  diff: { key: string; change: string; conflict: boolean }[];
  problems: { key: string | null }[];
}
interface ShownSteps {
  revision: number;
  steps: { key: string; definition: ShownStep['definition'] }[];
}

/** A definition that is a task, or one that is none for a negative value. */
const definitionOf = (value: number) => (value < 0 ? { sett: { value } } : { set: { value } });
export const valueIn = ({ definition }: Pick<ShownStep, 'definition'>): number =>
  (definition.set ?? definition.sett)?.value ?? Number.NaN;
export const stepsIn = (steps: ShownSteps['steps']): ModelStep[] =>
  steps.map((step) => ({ key: step.key, value: valueIn(step) }));

/** The calls of one workflow and its branch, by any of its members. */
export class WorkflowUnderTest {
  readonly #id: number;
  readonly #workspaceId: number;

  private constructor(id: number, workspaceId: number) {
    this.#id = id;
    this.#workspaceId = workspaceId;
  }

  static async create(owner: Person, workspaceId: number): Promise<WorkflowUnderTest> {
    return new WorkflowUnderTest(await createWorkflow(owner, workspaceId), workspaceId);
  }

  getSteps = (by: Person) => by.call<ShownSteps>('GET', `/workflow/${this.#id}/steps`);
  publishDirectly = (by: Person, steps: readonly ModelStep[], expectedRevision?: number) =>
    by.call<ShownSteps & ProblemBody>('PUT', `/workflow/${this.#id}/steps`, {
      body: {
        steps: steps.map(({ key, value }) => ({ key, definition: definitionOf(value) })),
        expectedRevision,
      },
    });

  getBranch = (by: Person) => this.#send<ShownBranch>(by, 'GET', '');
  getStep = (by: Person, key: string) => this.#send<ShownStep>(by, 'GET', `/steps/${key}`);
  setStep = (
    by: Person,
    { key, value }: ModelStep,
    condition: { position?: number | undefined; expectedRevision?: number | undefined },
  ) => {
    const body = { definition: definitionOf(value), ...condition };
    return this.#send<ProblemBody>(by, 'PUT', `/steps/${key}`, body);
  };
  removeStep = (by: Person, key: string) => this.#send(by, 'DELETE', `/steps/${key}`);
  publish = (by: Person) => this.#send<ShownSteps & ProblemBody>(by, 'POST', '/publish');
  discard = (by: Person) => this.#send(by, 'DELETE', '');
  listEdits = (by: Person) => this.#send<{ snapshot: { id: number } }[]>(by, 'GET', '/history');

  /** Resolves when a branch that follows direct publications is based on the latest. */
  untilFollowed = (by: Person) =>
    waitFor('the branch to follow', async () => {
      const { body } = await this.getBranch(by);
      return body.baseRevision === body.publishedRevision;
    });

  #send<T>(by: Person, method: string, path: string, body?: object): Promise<Answer<T>> {
    const query = { workspaceId: this.#workspaceId };
    const at = `/dev-mode/branches/${this.#id}${path}`;
    return by.call<T>(method, at, { query, ...(body ? { body } : {}) });
  }
}
