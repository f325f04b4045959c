import type { Fault } from '@workspace-automation/flow-language';
import { jobContextOf } from '../../support/fair-shares/cpu-shares.ts';
import { limitsOfRequests, queueFileCheck } from '../../support/fair-shares/file-check-queue.ts';
import { lruCache } from '../../support/lru-cache.ts';
import type { ShareOwners } from '../share-owners/share-owners.ts';
import type { StepProblem, StoredStep } from './step-fields.ts';
import { tooManyStepChecks } from './step-problems.ts';
import { flowFileOf, hashOfSteps } from './stored-steps.ts';

/** Lists of steps whose problems are remembered. Beyond it the least recently used list is forgotten, and checked again. */
const MAX_REMEMBERED = 200;

const STEPS = limitsOfRequests(tooManyStepChecks);

/** Checks and formats lists of steps in the fair queue of their owners. */
export class StepChecks {
  readonly #owners: ShareOwners;
  readonly #problems = lruCache<string, readonly StepProblem[]>(MAX_REMEMBERED);

  constructor(owners: ShareOwners) {
    this.#owners = owners;
  }

  /** Finds the problems of the steps of a workspace; none for steps that can be published. Throws 429 when too many wait. */
  async problemsOf(
    workspaceId: number,
    steps: readonly StoredStep[],
  ): Promise<readonly StepProblem[]> {
    const key = `${workspaceId} ${hashOfSteps(steps)}`;
    const known = this.#problems.get(key);
    if (known) return known;
    const share = await this.#owners.ofWorkspace(workspaceId);
    const { faults } = await queueFileCheck(share, STEPS, (files) =>
      files.compile(flowFileOf(steps), jobContextOf(share)),
    );
    const problems = faults.map((fault) => problemOf(fault, steps));
    // A check that was given up may succeed on a quieter machine.
    if (!problems.some(({ code }) => code === 'FLOW_TOO_COMPLEX'))
      this.#problems.set(key, problems);
    return problems;
  }

  /** Writes a flow file in JSON as YAML. Throws 429 when too many files wait. */
  async format(workspaceId: number, json: string): Promise<string> {
    const share = await this.#owners.ofWorkspace(workspaceId);
    return queueFileCheck(share, STEPS, (files) => files.format(json, jobContextOf(share)));
  }
}

/** Characters of a problem's path. The rest is cut: keys of a definition may be of any length. */
const LONGEST_PATH = 200;

/** The pointer of a place in the definition of a step: the index of the step, its key, and the rest. */
const IN_STEP = /^\/do\/(\d+)(?:\/[^/]*)?(.*)$/s;

function problemOf({ code, message, pointer }: Fault, steps: readonly StoredStep[]): StepProblem {
  const [, at, path = ''] = IN_STEP.exec(pointer) ?? [];
  const key = at === undefined ? null : (steps[Number(at)]?.key ?? null);
  return { key, path: path.slice(0, LONGEST_PATH).toWellFormed(), code, message };
}
