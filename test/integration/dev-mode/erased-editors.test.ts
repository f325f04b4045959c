import { DELETED_ACTOR_NAME } from '../../../contract/deleted-user.ts';
import { personSteps } from '../../../mixins/lifecycle/erasure-steps.ts';
import { DevModeBranchModel } from '../../../models/dev-mode-branch.model.ts';
import { SequenceModel } from '../../../models/sequence.model.ts';
import { editingBy, editStep } from '../../../services/dev-mode/branch/edit-step.ts';
import { branches, getBranch } from '../../../services/dev-mode/branches.store.ts';
import { storeStep } from '../../../services/workflow-steps/stored-steps.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';

useDatabase([DevModeBranchModel, SequenceModel]);

const CHANGE = changeContext({ operation: 'dev-mode.editStep', audit: { none: 'a test' } });
const ADA = { type: 'person', id: 7, name: 'Ada' } as const;
const GRACE = { type: 'person', id: 8, name: 'Grace' } as const;
const ACCOUNT = { type: 'service-account', id: 7, name: 'Deployer' } as const;
const stepOf = (key: string, value: number) => storeStep({ key, definition: { set: { value } } });
const editsBy = [ADA, GRACE, ACCOUNT, ADA, null];

async function createBranch(): Promise<number> {
  const [branchId, workspaceId, at] = [1, 1, new Date()];
  const steps = editsBy.map((updatedBy, index) => {
    const step = stepOf(`s${index}`, index);
    return { ...step, revision: index, updatedBy, updatedAt: updatedBy && at };
  });
  const edited = { base: [], baseRevision: 0, steps, edits: steps.length, editedAt: at };
  const made = { branchId, workspaceId, ...edited, createdAt: at, updatedAt: at };
  return (await branches.create(made, CHANGE))._id;
}

/** A pass of the erasure of Ada. */
async function erase(): Promise<void> {
  const target = { targetId: ADA.id, addresses: [], requestedAt: new Date(), isLastPass: true };
  for (const step of personSteps([DevModeBranchModel])) while (await step.take(target, null));
}

const editorsOf = async (id: number) =>
  (await getBranch(id)).steps.map(({ updatedBy }) => updatedBy?.name ?? null);

test('the erasure of a person renames the steps that the person edited, and no others', async () => {
  const id = await createBranch();
  await erase();
  const erased = DELETED_ACTOR_NAME;
  expect(await editorsOf(id)).toEqual([erased, 'Grace', 'Deployer', erased, null]);
});

test('an edit that was decided before the erasure does not bring the name back', async () => {
  const id = await createBranch();
  const read = await getBranch(id);
  await erase();
  const decide = (current: typeof read) => {
    const edited = editStep(current, { step: stepOf('s1', 100) }, editingBy(GRACE));
    return edited && { set: { steps: edited.state.steps, edits: edited.state.edits } };
  };
  await branches.change(read, decide, CHANGE);
  expect(await editorsOf(id)).not.toContain(ADA.name);
  expect((await getBranch(id)).steps[1]?.revision).toBe(editsBy.length + 1);
});
