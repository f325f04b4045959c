import fc from 'fast-check';
import type { Person } from '../../helpers/people.ts';
import {
  branchOf,
  conflictsOf,
  follows,
  haveOrderConflict,
  isEqual,
  type Model,
  mergedValues,
  orderFault,
  rebase,
  removeStep,
  setStep,
  stepValueOf,
} from './model.ts';
import { stepsIn, type WorkflowUnderTest } from './workflow-under-test.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e'] as const;
const key = fc.constantFrom(...KEYS);
const value = fc.constantFrom(1, 2, 3, 4, -1);
/** Whether a request names the revision that it has read, an older one, or none. */
const expects = fc.constantFrom('none', 'none', 'fresh', 'stale');
const by = fc.nat({ max: 2 });

/** What one person does. */
export const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      by,
      step: fc.record({ key, value }),
      position: fc.option(fc.nat({ max: 6 }), { nil: undefined, freq: 2 }),
      expects,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), by, key }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('publish' as const), by }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('direct' as const),
      by,
      steps: fc.uniqueArray(fc.record({ key, value }), {
        selector: (step) => step.key,
        maxLength: KEYS.length,
      }),
      expects,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('discard' as const), by }) },
);
export type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** Carries a command out, and returns the model after it. Fails where the answer is not what the model says. */
export async function carryOut(
  todo: Command,
  model: Model,
  workflow: WorkflowUnderTest,
  people: readonly Person[],
): Promise<Model> {
  const person = people[todo.by] as Person;
  switch (todo.kind) {
    case 'edit':
      return edit(todo, model, workflow, person);
    case 'remove':
      return remove(todo, model, workflow, person);
    case 'publish':
      return publish(model, workflow, person);
    case 'direct':
      return publishDirectly(todo, model, workflow, person);
    case 'discard': {
      expect((await workflow.discard(person)).status).toBe(model.branch ? 204 : 404);
      return { ...model, branch: null };
    }
  }
}

type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;

async function edit(
  { step, position, expects: expected }: Of<'edit'>,
  model: Model,
  workflow: WorkflowUnderTest,
  person: Person,
): Promise<Model> {
  const branch = branchOf(model);
  const present = stepValueOf(branch.steps, step.key) !== undefined;
  const isDeleted = branch.deleted.has(step.key);
  const deletedAt = isDeleted
    ? (await workflow.getStep(person, step.key)).body.position
    : undefined;
  // The revision of a step that was removed for good is not shown any more.
  const revision = present || isDeleted ? (branch.revisions.get(step.key) ?? 0) : 0;
  const expectedRevision = { none: undefined, fresh: revision, stale: revision + 1 }[expected];
  const answer = await workflow.setStep(person, step, { position, expectedRevision });
  const last = present ? branch.steps.length - 1 : branch.steps.length;
  if (position !== undefined && position > last) {
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, 'position']);
    return model;
  }
  if (expected === 'stale') {
    expect([answer.status, answer.body]).toEqual([
      409,
      expect.objectContaining({ code: 'STALE_REVISION', currentRevision: revision }),
    ]);
    return model;
  }
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  const after = setStep(branch, step, position, deletedAt);
  return after ? { ...model, branch: after } : model;
}

async function remove(
  { key: removed }: Of<'remove'>,
  model: Model,
  workflow: WorkflowUnderTest,
  person: Person,
): Promise<Model> {
  const branch = branchOf(model);
  const { status } = await workflow.removeStep(person, removed);
  if (branch.deleted.has(removed)) {
    expect(status).toBe(200);
    return model;
  }
  const isPresent = stepValueOf(branch.steps, removed) !== undefined;
  expect(status).toBe(isPresent ? 200 : 404);
  return isPresent ? { ...model, branch: removeStep(branch, removed) } : model;
}

async function publish(model: Model, workflow: WorkflowUnderTest, person: Person): Promise<Model> {
  const { branch, published, revision } = model;
  const answer = await workflow.publish(person);
  if (!branch) {
    expect(answer.status).toBe(404);
    return model;
  }
  const conflicts = conflictsOf(branch, published);
  if (answer.body.code === 'BRANCH_CONFLICTS') {
    const named = (answer.body as unknown as { conflicts: string[] }).conflicts;
    expect(named).toEqual(expect.arrayContaining(conflicts));
    if (named.length > conflicts.length) expect(haveOrderConflict(branch, published)).toBe(true);
    return model;
  }
  expect(conflicts).toEqual([]);
  const values = mergedValues(branch, published);
  const hasProblems = [...values.values()].some((each) => each < 0);
  if (answer.body.code === 'BRANCH_HAS_PROBLEMS') {
    expect([answer.status, hasProblems]).toEqual([409, true]);
    return model;
  }
  expect([answer.status, answer.text, hasProblems]).toEqual([200, answer.text, false]);
  const merged = stepsIn(answer.body.steps);
  expect(new Map(merged.map((step) => [step.key, step.value]))).toEqual(values);
  expect(orderFault(branch, published, merged)).toBeNull();
  const next = isEqual(merged, published) ? revision : revision + 1;
  expect(answer.body.revision).toBe(next);
  return { published: merged, revision: next, branch: rebase(branch, merged, next) };
}

async function publishDirectly(
  { steps, expects: expected }: Of<'direct'>,
  model: Model,
  workflow: WorkflowUnderTest,
  person: Person,
): Promise<Model> {
  const { published, revision, branch } = model;
  const expectedRevision = { none: undefined, fresh: revision, stale: revision + 1 }[expected];
  const answer = await workflow.publishDirectly(person, steps, expectedRevision);
  if (steps.some((step) => step.value < 0) && !isEqual(steps, published)) {
    expect(answer.status).toBe(400);
    return model;
  }
  if (expected === 'stale') {
    expect([answer.status, answer.body]).toEqual([
      409,
      expect.objectContaining({ code: 'STALE_REVISION', currentRevision: revision }),
    ]);
    return model;
  }
  const next = isEqual(steps, published) ? revision : revision + 1;
  expect([answer.status, answer.body.revision]).toEqual([200, next]);
  if (!branch || next === revision || !follows(branch, steps)) {
    return { ...model, published: steps, revision: next };
  }
  await workflow.untilFollowed(person);
  return { published: steps, revision: next, branch: rebase(branch, steps, next) };
}
