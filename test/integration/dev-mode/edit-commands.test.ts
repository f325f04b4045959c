import { DevModeBranchModel } from '../../../models/dev-mode-branch.model.ts';
import { SequenceModel } from '../../../models/sequence.model.ts';
import { editStep } from '../../../services/dev-mode/branch/edit-step.ts';
import { showStep } from '../../../services/dev-mode/branch/show-steps.ts';
import { BranchWriter } from '../../../services/dev-mode/writes/branch-writer.ts';
import { storeStep } from '../../../services/workflow-steps/stored-steps.ts';
import { captureCommands } from '../../helpers/captured-commands.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';

useDatabase([DevModeBranchModel, SequenceModel]);

const CHANGE = changeContext({ operation: 'dev-mode.editStep', audit: { resource: 'workflow' } });
const stepOf = (at: number, value: unknown) =>
  storeStep({ key: `step${at}`, definition: { set: { value } } });

/** The database commands of an edit of a branch with so many steps. */
async function commandsOf(steps: number): Promise<string[]> {
  const workflow = { id: steps, workspaceId: 1, name: 'W' };
  const all = Array.from({ length: steps }, (_, at) => stepOf(at, 0));
  const published = { workflow, revision: 1, publishedAt: new Date(0).toISOString(), steps: all };
  const writer = new BranchWriter({
    find: async () => workflow,
    published: async () => published,
  });
  const edit = (value: number) =>
    writer.write(workflow.id, {
      apply: (state, editing) => editStep(state, { step: stepOf(0, value) }, editing),
      show: (state) => showStep(workflow.id, state, 'step0'),
      change: CHANGE,
    });
  await edit(1);
  const captured = captureCommands();
  await edit(2);
  captured.stop();
  return captured.all.map(({ name }) => name);
}

test('an edit of a branch of 500 steps takes the same commands as one of 10 steps', async () => {
  const [ofSmall, ofLarge] = [await commandsOf(10), await commandsOf(500)];
  expect([ofSmall, ofLarge]).toEqual([
    ['find', 'findAndModify'],
    ['find', 'findAndModify'],
  ]);
});
