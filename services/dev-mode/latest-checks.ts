import { SandboxUnavailable } from '@workspace-automation/flow-language';
import { Problem } from '../../contract/problem.ts';
import { GroupCommitQueue } from '../../mixins/changes/group-commit-queue.ts';
import type { StepChecks } from '../workflow-steps/check-steps.ts';
import type { StepProblem } from '../workflow-steps/step-fields.ts';
import { type BranchState, liveSteps } from './branch/branch-state.ts';

type Problems = readonly StepProblem[];

/** A branch to check. */
interface Check {
  workspaceId: number;
  state: BranchState;
}

/** The problem of a branch that is stored and could not be checked: too many checks wait, or no child can be started. */
const NOT_CHECKED: StepProblem = {
  key: null,
  path: '',
  code: 'NOT_CHECKED',
  message:
    'The steps are stored, but could not be checked now. Read the branch to check them again.',
};

/**
 * Checks branches after edits, one check of a branch at a time. Requests that come while it runs share the next check,
 * of the latest steps, so that a branch which many people edit costs no more than its checks one after another.
 */
export class LatestChecks {
  readonly #checks: Pick<StepChecks, 'problemsOf'>;
  readonly #queue = new GroupCommitQueue<Check, Problems>(async (_workflowId, checks) => {
    const value = await this.#checkLatest(checks);
    return checks.map(() => ({ status: 'fulfilled', value }));
  });

  constructor(checks: Pick<StepChecks, 'problemsOf'>) {
    this.#checks = checks;
  }

  /** The problems of the branch as it is given, or as a later edit has left it. */
  async problemsOf(workflowId: number, check: Check): Promise<StepProblem[]> {
    try {
      return [...(await this.#queue.run(workflowId, 'edits', check))];
    } catch (error) {
      if (error instanceof Problem || error instanceof SandboxUnavailable) return [NOT_CHECKED];
      throw error;
    }
  }

  #checkLatest(checks: readonly Check[]): Promise<Problems> {
    const { workspaceId, state } = checks.reduce((latest, check) =>
      isLater(check.state, latest.state) ? check : latest,
    );
    return this.#checks.problemsOf(workspaceId, liveSteps(state));
  }
}

/** Whether a state is not older than another one. The numbers of edits begin anew in the branch after a discarded one. */
const isLater = (one: BranchState, other: BranchState): boolean =>
  one.editedAt > other.editedAt || (+one.editedAt === +other.editedAt && one.edits >= other.edits);
