import { DevModeBranchModel } from '../../../models/dev-mode-branch.model.ts';
import { DevModeEditModel } from '../../../models/dev-mode-edit.model.ts';
import { SequenceModel } from '../../../models/sequence.model.ts';
import type { Published } from '../../../services/dev-mode/branch/branch-state.ts';
import { editStep } from '../../../services/dev-mode/branch/edit-step.ts';
import { showStep } from '../../../services/dev-mode/branch/show-steps.ts';
import { getBranch } from '../../../services/dev-mode/branches.store.ts';
import { listEdits } from '../../../services/dev-mode/history/list-edits.ts';
import { recordEdits, removeEdits } from '../../../services/dev-mode/history/record-edits.ts';
import { followPublished } from '../../../services/dev-mode/pending-publication.ts';
import { publishBranch } from '../../../services/dev-mode/publish-branch.ts';
import { BranchWriter } from '../../../services/dev-mode/writes/branch-writer.ts';
import type { StoredStep } from '../../../services/workflow-steps/step-fields.ts';
import { areSameSteps, storeStep } from '../../../services/workflow-steps/stored-steps.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { startTestDatabase, type TestDatabase } from '../../helpers/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase([DevModeBranchModel, DevModeEditModel, SequenceModel]);
});
afterAll(() => database.end());

const CHANGE = changeContext({ operation: 'dev-mode.publish', audit: { none: 'a test' } });
const { actor } = CHANGE;
const stepOf = (key: string, value: unknown): StoredStep =>
  storeStep({ key, definition: { set: { value } } });
const NO_PROBLEMS = { problemsOf: async () => [] };

let workflowIds = 0;

/** A workflow, as the service `workflows` keeps it, and its branch. */
class Workflow {
  readonly id = ++workflowIds;
  published: Published;
  /** Called after steps are published, before the caller hears of it. */
  onPublished: () => void | Promise<void> = () => undefined;

  constructor(...steps: StoredStep[]) {
    const workflow = { id: this.id, workspaceId: 1, name: 'W' };
    const publishedAt = new Date(0).toISOString();
    this.published = { workflow, revision: 1, publishedAt, steps };
  }

  readonly directory = {
    find: async () => this.published.workflow,
    published: async () => this.published,
    findPublished: async () => this.published,
    publish: async ({
      expectedRevision,
      steps,
    }: {
      expectedRevision: number;
      steps: StoredStep[];
    }) => {
      const { revision } = this.published;
      if (revision !== expectedRevision) return false;
      this.published = { ...this.published, revision: revision + 1, steps };
      await this.onPublished();
      return true;
    },
  };
  readonly #writer = new BranchWriter(this.directory);

  edit = (step: StoredStep) =>
    this.#writer.write(this.id, {
      apply: (state, editing) => editStep(state, { step }, editing),
      show: (state) => showStep(this.id, state, step.key),
      change: CHANGE,
    });
  publish = () =>
    publishBranch(this.id, CHANGE, { directory: this.directory, checks: NO_PROBLEMS });
  /** What the outbox of the publication says. */
  tell = () => {
    const entry = { id: 'x', at: new Date().toISOString(), workflowId: this.id, actor };
    const { revision } = this.published;
    return followPublished({ entries: [{ ...entry, revision }] }, this.directory);
  };
}

const crash = () => {
  throw new Error('the process dies');
};

test('a publication whose process dies is completed by its message, whatever was edited meanwhile', async () => {
  const workflow = new Workflow(stepOf('a', 1), stepOf('b', 1));
  await workflow.edit(stepOf('a', 2));
  workflow.onPublished = crash;
  await expect(workflow.publish()).rejects.toThrow('dies');
  workflow.onPublished = () => undefined;
  await workflow.edit(stepOf('a', 3));
  await workflow.tell();
  const branch = await getBranch(workflow.id);
  expect([branch.baseRevision, branch.pendingPublication]).toEqual([2, undefined]);
  expect(areSameSteps(branch.base, [stepOf('a', 2), stepOf('b', 1)])).toBe(true);
  expect((await workflow.publish()).revision).toBe(3);
  expect(areSameSteps(workflow.published.steps, [stepOf('a', 3), stepOf('b', 1)])).toBe(true);
});

test('a publication whose process dies is completed by the next one', async () => {
  const workflow = new Workflow(stepOf('a', 1));
  await workflow.edit(stepOf('a', 2));
  workflow.onPublished = crash;
  await expect(workflow.publish()).rejects.toThrow('dies');
  workflow.onPublished = () => undefined;
  await workflow.edit(stepOf('a', 3));
  expect((await workflow.publish()).revision).toBe(3);
  const branch = await getBranch(workflow.id);
  expect([branch.baseRevision, branch.pendingPublication]).toEqual([3, undefined]);
});

test('publications that meet, with edits between them, are no conflict for one another', async () => {
  const workflow = new Workflow(stepOf('a', 0), stepOf('b', 0));
  await workflow.edit(stepOf('a', 1));
  let edits = 1;
  workflow.onPublished = async () => {
    if (edits < 8) await workflow.edit(stepOf('a', ++edits));
  };
  const publications = Array.from({ length: 4 }, () => workflow.publish());
  await Promise.all(publications);
  workflow.onPublished = () => undefined;
  await workflow.publish();
  const { steps } = workflow.published;
  expect(areSameSteps(steps, [stepOf('a', edits), stepOf('b', 0)])).toBe(true);
});

test.each([
  ['after', (_read: Published, workflow: Workflow) => workflow.published],
  ['before', (read: Published) => read],
])(
  'a publication that reads what is published %s another one with a newer edit is no conflict',
  async (_, answer) => {
    const workflow = new Workflow(stepOf('a', 1), stepOf('b', 1));
    await workflow.edit(stepOf('a', 2));
    const { directory } = workflow;
    const { published } = directory;
    directory.published = async () => {
      directory.published = published;
      const read = await published();
      await workflow.edit(stepOf('a', 3));
      await workflow.publish();
      return answer(read, workflow);
    };
    expect((await workflow.publish()).revision).toBe(2);
    expect(areSameSteps(workflow.published.steps, [stepOf('a', 3), stepOf('b', 1)])).toBe(true);
    const branch = await getBranch(workflow.id);
    expect([branch.baseRevision, branch.pendingPublication]).toEqual([2, undefined]);
  },
);

test('a publication whose process dies before the steps are published is given up, and the next one publishes', async () => {
  const workflow = new Workflow(stepOf('a', 1));
  await workflow.edit(stepOf('a', 2));
  const { publish } = workflow.directory;
  workflow.directory.publish = async () => crash();
  await expect(workflow.publish()).rejects.toThrow('dies');
  workflow.directory.publish = publish;
  expect((await workflow.publish()).revision).toBe(2);
  const branch = await getBranch(workflow.id);
  expect([branch.baseRevision, branch.pendingPublication]).toEqual([2, undefined]);
});

/** Publishes, edits the same step, and publishes again; that publication gives the first one up, which then lands. */
async function publishLate(workflow: Workflow) {
  await workflow.edit(stepOf('a', 2));
  const { directory } = workflow;
  const { publish } = directory;
  const [called, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  directory.publish = async (params) => {
    called.resolve();
    await released.promise;
    return publish(params);
  };
  const first = workflow.publish();
  await called.promise;
  directory.publish = async (params) => {
    directory.publish = publish;
    released.resolve();
    await Promise.allSettled([first]);
    return publish(params);
  };
  await workflow.edit(stepOf('a', 3));
  return { first, second: workflow.publish() };
}

async function assertPublishedLast(workflow: Workflow): Promise<void> {
  expect(areSameSteps(workflow.published.steps, [stepOf('a', 3), stepOf('b', 1)])).toBe(true);
  const branch = await getBranch(workflow.id);
  expect([branch.baseRevision, branch.pendingPublication]).toEqual([3, undefined]);
}

test('a publication that lands after it was given up is no conflict for an edit made meanwhile', async () => {
  const workflow = new Workflow(stepOf('a', 1), stepOf('b', 1));
  const { first, second } = await publishLate(workflow);
  const [{ revision }, { revision: later }] = await Promise.all([first, second]);
  expect([revision, later]).toEqual([2, 3]);
  await assertPublishedLast(workflow);
});

test('a publication that lands after it was given up, and whose process dies, is completed by the one that gave it up', async () => {
  const workflow = new Workflow(stepOf('a', 1), stepOf('b', 1));
  workflow.onPublished = () => {
    workflow.onPublished = () => undefined;
    crash();
  };
  const { first, second } = await publishLate(workflow);
  const [dead, later] = await Promise.allSettled([first, second]);
  expect(dead).toMatchObject({ reason: { message: 'the process dies' } });
  expect(later).toMatchObject({ value: { revision: 3 } });
  await assertPublishedLast(workflow);
});

test('a mark of a publication that another one has overtaken is dropped', async () => {
  const workflow = new Workflow(stepOf('a', 1), stepOf('b', 1));
  await workflow.edit(stepOf('a', 2));
  const { directory } = workflow;
  const publish = directory.publish;
  directory.publish = async (params) => {
    const steps = [stepOf('a', 1), stepOf('b', 9)];
    workflow.published = { ...workflow.published, revision: 2, steps };
    directory.publish = publish;
    return publish(params);
  };
  expect((await workflow.publish()).revision).toBe(3);
  expect(areSameSteps(workflow.published.steps, [stepOf('a', 2), stepOf('b', 9)])).toBe(true);
});

test('edits that are recorded after the removal of their history leave nothing', async () => {
  const entry = {
    id: 'x',
    at: new Date().toISOString(),
    workspaceId: 1,
    workflowId: 999_999,
    branchId: 999_999,
    n: 1,
    hash: 'h',
    stepCount: 1,
    key: 'a',
    kind: 'ADDED' as const,
    actor,
    editedAt: new Date().toISOString(),
  };
  await removeEdits({ entries: [entry] });
  await recordEdits({ entries: [entry] });
  expect(await DevModeEditModel.countDocuments({ branchId: entry.branchId })).toBe(0);
});

test('recorded edits of a branch that is there stay, also when they are recorded twice', async () => {
  const workflow = new Workflow(stepOf('a', 1));
  await workflow.edit(stepOf('a', 2));
  const { branchId } = await getBranch(workflow.id);
  const recorded = await DevModeBranchModel.findById(workflow.id, { outbox: 1 }).lean();
  const [message] = (recorded?.outbox ?? []).filter((each) => 'call' in each);
  if (!message || !('params' in message)) throw new Error('the edit is no entry of the outbox');
  const params = message.params as Parameters<typeof recordEdits>[0]['entries'][number];
  const entries = [{ ...params, id: message.id, at: message.at.toISOString() }];
  await recordEdits({ entries });
  await recordEdits({ entries });
  expect(await DevModeEditModel.countDocuments({ branchId })).toBe(1);
  const { items } = await listEdits({ _id: workflow.id, branchId }, { limit: 10 });
  expect(items.map(({ key, kind }) => [key, kind])).toEqual([['a', 'MODIFIED']]);
});
