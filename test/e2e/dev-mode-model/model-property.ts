import fc from 'fast-check';
import { addMember, createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { sharedServer } from '../../helpers/server.ts';
import { type Command, carryOut, command } from './commands.ts';
import {
  conflictsOf,
  EMPTY,
  follows,
  type Model,
  type ModelBranch,
  rebase,
  stepValueOf,
} from './model.ts';
import { type ShownBranch, stepsIn, valueIn, WorkflowUnderTest } from './workflow-under-test.ts';

interface Team {
  people: readonly Person[];
  workspaceId: number;
}

/** Three people of one workspace. */
export async function makeTeam(): Promise<Team> {
  const { url } = await sharedServer();
  const owner = await registerVerified(url, 'Owner');
  const workspaceId = await createWorkspace(owner);
  const members = [
    await addMember(url, owner, workspaceId, 'MEMBER'),
    await addMember(url, owner, workspaceId, 'ADMIN'),
  ];
  return { people: [owner, ...members], workspaceId };
}

/** Compares the service with the model after each command of random sequences. */
export async function assertModel(
  { people, workspaceId }: Team,
  { seed, numRuns, length }: { seed: number; numRuns: number; length: number },
): Promise<void> {
  const commands = fc.array(command, { minLength: length, maxLength: length });
  await fc.assert(
    fc.asyncProperty(commands, async (sequence: Command[]) => {
      const [owner] = people as [Person];
      const workflow = await WorkflowUnderTest.create(owner, workspaceId);
      let model: Model = EMPTY;
      for (const todo of sequence) {
        model = await carryOut(todo, model, workflow, people);
        model = await compare(model, workflow, owner);
      }
    }),
    { seed, numRuns, endOnFailure: false, interruptAfterTimeLimit: 240_000 },
  );
}

/** Compares what the service shows with the model. Returns the model, in which a branch may have followed. */
async function compare(model: Model, workflow: WorkflowUnderTest, by: Person): Promise<Model> {
  const { body: published } = await workflow.getSteps(by);
  expect([published.revision, stepsIn(published.steps)]).toEqual([model.revision, model.published]);
  const { status, body, edits } = await readBranch(workflow, by);
  if (!model.branch) {
    expect(status).toBe(404);
    return model;
  }
  expect(status).toBe(200);
  const branch = followed(model.branch, model, body.baseRevision);
  compareBranch(body, branch, model);
  expect(edits.map(({ snapshot }) => snapshot.id)).toEqual(
    Array.from({ length: branch.edits }, (_, n) => n + 1),
  );
  return { ...model, branch };
}

/** Reads a branch and its history at one time: a direct publication that the branch follows may come between two reads. */
async function readBranch(workflow: WorkflowUnderTest, by: Person) {
  for (;;) {
    const { status, body } = await workflow.getBranch(by);
    if (status !== 200) return { status, body, edits: [] };
    const { body: edits } = await workflow.listEdits(by);
    const { body: again } = await workflow.getBranch(by);
    if (again.snapshot.id === body.snapshot.id) return { status, body, edits };
  }
}

/**
 * The branch after it has followed a direct publication, where it shows that it has: it had differences when that came,
 * and lost them before it heard of the publication.
 */
const followed = (branch: ModelBranch, model: Model, baseRevision: number): ModelBranch =>
  baseRevision === model.revision &&
  branch.baseRevision < model.revision &&
  follows(branch, model.published)
    ? rebase(branch, model.published, model.revision)
    : branch;

function compareBranch(shown: ShownBranch, branch: ModelBranch, model: Model): void {
  const live = shown.steps.filter((step) => step.status !== 'DELETED');
  const deleted = shown.steps.filter((step) => step.status === 'DELETED');
  expect(stepsIn(live)).toEqual(branch.steps);
  expect(live.map(({ position }) => position)).toEqual(live.map((_, at) => at));
  expect(new Set(deleted.map(({ key }) => key))).toEqual(branch.deleted);
  expect([shown.snapshot.id, shown.snapshot.stepCount]).toEqual([branch.edits, live.length]);
  expect([shown.baseRevision, shown.publishedRevision]).toEqual([
    branch.baseRevision,
    model.revision,
  ]);
  for (const step of live) {
    expect([step.key, step.revision]).toEqual([step.key, branch.revisions.get(step.key) ?? 0]);
    const base = stepValueOf(branch.base, step.key);
    if (base === undefined) expect(step.status).toBe('ADDED');
    else if (base !== valueIn(step)) expect(step.status).toBe('MODIFIED');
    else expect(['UNCHANGED', 'MODIFIED']).toContain(step.status); // MODIFIED where it was moved
  }
  const different = shown.diff.filter(({ change }) => change !== 'MOVED').map(({ key }) => key);
  expect(new Set(different)).toEqual(differences(branch, model));
  const conflicts = shown.diff.filter(({ conflict }) => conflict).map(({ key }) => key);
  expect(conflicts).toEqual(expect.arrayContaining(conflictsOf(branch, model.published)));
  const invalid = branch.steps.filter(({ value }) => value < 0).map(({ key }) => key);
  expect(new Set(shown.problems.map(({ key }) => key))).toEqual(new Set(invalid));
}

/** The keys whose values differ between the branch and what is published. */
function differences({ steps }: ModelBranch, { published }: Model): Set<string> {
  const keys = [...steps, ...published].map(({ key }) => key);
  return new Set(keys.filter((key) => stepValueOf(steps, key) !== stepValueOf(published, key)));
}
