import { editingBy, editStep, removeStep } from '../../../services/dev-mode/branch/edit-step.ts';
import { showBranch } from '../../../services/dev-mode/show-branch.ts';
import { MAX_DEFINITION_BYTES, MAX_STEPS } from '../../../services/workflow-steps/step-fields.ts';
import { storeStep } from '../../../services/workflow-steps/stored-steps.ts';
import { branchOf } from './branches.ts';

/** Bytes of a message between processes (`packages/moleculer-nats/message-size.ts`), beyond which an answer is a 500. */
const MESSAGE_BYTES = 900 * 1024;

/** The longest key of a name and a number. */
const keyOf = (name: string, at: number): string => `${name}${at}_`.padEnd(64, 'x');
const stepsOf = (name: string) => {
  const bytes = Math.floor(MAX_DEFINITION_BYTES / MAX_STEPS) - '{"set":{"v":""}}'.length;
  const definition = { set: { v: 'x'.repeat(bytes) } };
  return Array.from({ length: MAX_STEPS }, (_, at) =>
    storeStep({ key: keyOf(name, at), definition }),
  );
};

test('the largest branch, other steps published and edited by the longest name, fits into one message', () => {
  const editing = editingBy({ type: 'person', id: 2 ** 53 - 1, name: '😀'.repeat(200) });
  let state = branchOf(stepsOf('old'));
  for (const { key, definition } of state.base) {
    const isDeleted = Number(/\d+/.exec(key)?.[0]) % 2 === 0;
    const step = storeStep({
      key,
      definition: { set: { v: definition.slice(22).replace(/"}}$/, 'é') } },
    });
    const edited = isDeleted ? removeStep(state, key, editing) : editStep(state, { step }, editing);
    state = edited?.state ?? state;
  }
  const problem = {
    key: keyOf('old', 1),
    path: '/'.repeat(200),
    code: 'X'.repeat(30),
    message: 'é'.repeat(500),
  };
  const workflow = { id: 1, workspaceId: 1, name: 'W' };
  const published = { workflow, revision: 9, publishedAt: '', steps: stepsOf('other') };
  const problems = Array.from({ length: 101 }, () => problem);
  const answer = showBranch(state, published, problems);
  expect(answer.diff).toHaveLength(MAX_STEPS * 1.5);
  expect(answer.diff.some(({ published: shown }) => shown)).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(MESSAGE_BYTES);
});
