import type { ServiceSchema } from 'moleculer';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { DevModeBranchModel } from '../../models/dev-mode-branch.model.ts';
import { DevModeEditModel } from '../../models/dev-mode-edit.model.ts';
import { implement, on } from '../contracts.ts';
import { userVerified } from '../identity/identity.events.ts';
import { createShareOwners } from '../share-owners/create-share-owners.ts';
import type { ShareOwners } from '../share-owners/share-owners.ts';
import { StepChecks } from '../workflow-steps/check-steps.ts';
import { branches, getBranch, type StoredBranch } from './branches.store.ts';
import { devModeContract } from './dev-mode.contract.ts';
import { discardBranch, removeBranches } from './discard-branch.ts';
import { getDraft } from './draft.ts';
import { listEdits } from './history/list-edits.ts';
import { recordEdits, removeEdits } from './history/record-edits.ts';
import { LatestChecks } from './latest-checks.ts';
import { followPublished } from './pending-publication.ts';
import { publishBranch } from './publish-branch.ts';
import { showBranch } from './show-branch.ts';
import { deleteStep, getStep, setStep } from './steps.ts';
import { WorkflowDirectory } from './workflow-directory.ts';
import { BranchWriter } from './writes/branch-writer.ts';

/** Branches: the editable copies of the steps of workflows. The service `workflows` has what is published. */
export function devModeService(): ServiceSchema {
  const erasures = erasuresOf('dev-mode', [DevModeBranchModel, DevModeEditModel]);
  let owners: ShareOwners;
  let directory: WorkflowDirectory;
  let stepChecks: StepChecks;
  let checks: LatestChecks;
  let writer: BranchWriter;
  const show = async (branch: StoredBranch) => {
    const { _id: workflowId, workspaceId } = branch;
    const published = await directory.published(workflowId);
    const problems = await checks.problemsOf(workflowId, { workspaceId, state: branch });
    return showBranch(branch, published, problems);
  };

  return {
    name: 'dev-mode',
    mixins: [erasures.mixin, Changes(branches)],
    actions: implement(
      devModeContract,
      {
        ...erasures.handlers,
        getStep: ({ params }) => getStep(params.workflowId, params.key, directory),
        editStep: (ctx) =>
          setStep(ctx.locals.resource, ctx.params, changeOf(ctx), { writer, checks }),
        removeStep: (ctx) => deleteStep(ctx.locals.resource, ctx.params.key, changeOf(ctx), writer),
        getBranch: async ({ params }) => show(await getBranch(params.workflowId)),
        listEdits: async ({ params }) => listEdits(await getBranch(params.workflowId), params),
        publish: (ctx) =>
          publishBranch(ctx.params.workflowId, changeOf(ctx), { directory, checks: stepChecks }),
        discard: (ctx) => discardBranch(ctx.params.workflowId, changeOf(ctx), show),
        recordEdits: ({ params }) => recordEdits(params),
        removeEdits: ({ params }) => removeEdits(params),
        followPublished: ({ params }) => followPublished(params, directory),
        removeBranches: ({ params }) => removeBranches(params),
        draftToRun: ({ params }) => getDraft(params.workflowId, stepChecks),
      },
      { workflow: (id: number) => directory.find(id) },
    ),
    events: {
      ...on(userVerified, () => owners.drop()),
    },
    created() {
      owners = createShareOwners(this.broker, 'dev-mode');
      directory = new WorkflowDirectory(this.broker);
      stepChecks = new StepChecks(owners);
      checks = new LatestChecks(stepChecks);
      writer = new BranchWriter(directory);
    },
  };
}
