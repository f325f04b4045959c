import { actor } from '../../models/actor.ts';
import { defineModel, field } from '../../models/define-model.ts';
import { lifecycleOf } from '../../models/lifecycle.ts';

const keep = { keep: 'a test' };
const fields = {
  _id: field.number,
  workspaceId: field.number,
  draft: field.nullable(field.object({ text: field.string, createdBy: actor })),
};
let count = 0;
const define = (lifecycle: unknown) => {
  const name = `Plan${++count}`;
  return defineModel({ name, collection: name, fields, lifecycle: lifecycle as never });
};

test.each([
  [undefined, 'with its workspace'],
  [{ person: keep }, 'with its workspace'],
  [{ workspace: keep }, 'with its person'],
  [{ workspace: { keep: '' }, person: keep }, 'with its workspace'],
  [{ workspace: keep, person: { rename: [] } }, 'with its person'],
  [{ workspace: { remove: 'workspace' }, person: { rename: ['draft.createdBy'] } }, 'no field'],
  [{ workspace: keep, person: { rename: ['draft.createdBy', 'createdBy'] } }, 'no field createdBy'],
  [{ workspace: { clear: 'workspace' }, person: keep }, 'no field workspace, revision, updatedAt'],
  [{ workspace: keep, person: keep }, 'does not rename draft.createdBy'],
  [{ workspace: keep, person: { remove: ['workspaceId'] } }, 'does not rename draft.createdBy'],
])('the lifecycle %j is refused', (lifecycle, refusal) => {
  expect(() => define(lifecycle)).toThrow(refusal);
});

test('a model shows its lifecycle', () => {
  const lifecycle = {
    workspace: { remove: 'workspaceId' },
    person: { rename: ['draft.createdBy'] },
  };
  expect(lifecycleOf(define(lifecycle))).toEqual(lifecycle);
  expect(() => lifecycleOf({ modelName: 'Box' })).toThrow('Box does not say');
});
