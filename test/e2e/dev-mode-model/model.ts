/**
 * What a person who reads the specification expects of a workflow and its branch, as lists and numbers. The model shares
 * no code with the service. It does not say in which order a merge of two new orders puts the steps: there it only says
 * what both sides agree on.
 */

/** A step: its key, and the value in its definition. A negative value stands for a definition that is no task. */
export interface ModelStep {
  key: string;
  value: number;
}
type Steps = readonly ModelStep[];

export interface ModelBranch {
  base: Steps;
  baseRevision: number;
  /** The steps that are not deleted, in order. */
  steps: Steps;
  /** The keys of deleted steps of the base. */
  deleted: ReadonlySet<string>;
  edits: number;
  /** The number of the edit that last changed each step. */
  revisions: ReadonlyMap<string, number>;
}

export interface Model {
  published: Steps;
  revision: number;
  branch: ModelBranch | null;
}

export const EMPTY: Model = { published: [], revision: 0, branch: null };

const keysOf = (steps: Steps): string[] => steps.map(({ key }) => key);
export const stepValueOf = (steps: Steps, key: string): number | undefined =>
  steps.find((step) => step.key === key)?.value;
export const isEqual = (one: Steps, other: Steps): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const newBranch = ({ published, revision }: Model): ModelBranch => ({
  base: published,
  baseRevision: revision,
  steps: published,
  deleted: new Set(),
  edits: 0,
  revisions: new Map(),
});

/** The branch that an edit meets: the one there is, or a new one of what is published. */
export const branchOf = (model: Model): ModelBranch => model.branch ?? newBranch(model);

/** The branch after a step was set; null where nothing changes. `deletedAt` is the place of a deleted step. */
export function setStep(
  branch: ModelBranch,
  { key, value }: ModelStep,
  position: number | undefined,
  deletedAt: number | undefined,
): ModelBranch | null {
  const at = keysOf(branch.steps).indexOf(key);
  if (at !== -1 && branch.steps[at]?.value === value && (position ?? at) === at) return null;
  const others = branch.steps.filter((step) => step.key !== key);
  const place = position ?? (at === -1 ? (deletedAt ?? others.length) : at);
  const edits = branch.edits + 1;
  return {
    ...branch,
    steps: others.toSpliced(place, 0, { key, value }),
    deleted: new Set([...branch.deleted].filter((each) => each !== key)),
    edits,
    revisions: new Map(branch.revisions).set(key, edits),
  };
}

/** The branch after a step was deleted. */
export function removeStep(branch: ModelBranch, key: string): ModelBranch {
  const edits = branch.edits + 1;
  const isOfBase = stepValueOf(branch.base, key) !== undefined;
  return {
    ...branch,
    steps: branch.steps.filter((step) => step.key !== key),
    deleted: isOfBase ? new Set([...branch.deleted, key]) : branch.deleted,
    edits,
    revisions: new Map(branch.revisions).set(key, edits),
  };
}

/** The keys of steps that were changed on both sides since the base, to different values. */
export function conflictsOf({ base, steps: ours }: ModelBranch, theirs: Steps): string[] {
  const keys = new Set([...keysOf(base), ...keysOf(ours), ...keysOf(theirs)]);
  return [...keys].filter((key) => {
    const [b, o, t] = [base, ours, theirs].map((side) => stepValueOf(side, key));
    return o !== t && o !== b && t !== b;
  });
}

/** The steps of a merge without conflicts, by key and without order. */
export function mergedValues({ base, steps: ours }: ModelBranch, theirs: Steps) {
  const merged = new Map<string, number>();
  for (const key of new Set([...keysOf(ours), ...keysOf(theirs)])) {
    const [b, o, t] = [base, ours, theirs].map((side) => stepValueOf(side, key));
    const value = o === b ? t : o;
    if (value !== undefined) merged.set(key, value);
  }
  return merged;
}

/** Whether two lists have the keys that both have in the same order. */
export function agree(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [new Set(one), new Set(other)];
  return one.filter((key) => b.has(key)).join() === other.filter((key) => a.has(key)).join();
}

/**
 * Says what is wrong with the order of merged steps; null for an order that fits. Steps that both sides have added may
 * have the place of either side.
 */
export function orderFault(branch: ModelBranch, theirs: Steps, merged: Steps): string | null {
  const isOfBoth = (key: string) =>
    stepValueOf(branch.base, key) === undefined &&
    stepValueOf(branch.steps, key) !== undefined &&
    stepValueOf(theirs, key) !== undefined;
  const order = keysOf(merged).filter((key) => !isOfBoth(key));
  const [base, ours, other] = [branch.base, branch.steps, theirs].map(keysOf) as [
    string[],
    string[],
    string[],
  ];
  if (agree(base, ours) && !agree(other, order)) return 'the order of what is published is lost';
  if (agree(base, other) && !agree(ours, order)) return 'the order of the branch is lost';
  return null;
}

/** Whether both sides have moved steps of the base, and have an order that the other side does not have. */
export function haveOrderConflict({ base, steps }: ModelBranch, theirs: Steps): boolean {
  const [before, ours, other] = [keysOf(base), keysOf(steps), keysOf(theirs)];
  return !agree(before, ours) && !agree(before, other) && !agree(ours, other);
}

/** The branch once it is based on what was published. Steps that changed with it get the number of a new edit. */
export function rebase(branch: ModelBranch, published: Steps, revision: number): ModelBranch {
  const edits = isEqual(branch.steps, published) ? branch.edits : branch.edits + 1;
  const revisions = new Map(
    published.map(({ key, value }) => {
      const isKept = stepValueOf(branch.steps, key) === value;
      return [key, isKept ? (branch.revisions.get(key) ?? 0) : edits];
    }),
  );
  const steps = published;
  return { base: published, baseRevision: revision, steps, deleted: new Set(), edits, revisions };
}

/** Whether the branch follows a direct publication: it has no differences from its base, or none from what is published. */
export const follows = ({ base, steps }: ModelBranch, published: Steps): boolean =>
  isEqual(base, steps) || isEqual(steps, published);
