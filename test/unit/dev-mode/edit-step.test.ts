import fc from 'fast-check';
import { liveSteps } from '../../../services/dev-mode/branch/branch-state.ts';
import { editStep, removeStep } from '../../../services/dev-mode/branch/edit-step.ts';
import { rebase } from '../../../services/dev-mode/branch/rebase.ts';
import { showStep, showSteps } from '../../../services/dev-mode/branch/show-steps.ts';
import { MAX_DEFINITION_BYTES, MAX_STEPS } from '../../../services/workflow-steps/step-fields.ts';
import { storeStep } from '../../../services/workflow-steps/stored-steps.ts';
import { attempt, branchOf, EDITING, editsUpTo, short, stepList, stepOf } from './branches.ts';

test('an edit puts a step where it says and leaves the others in their order', () => {
  fc.assert(
    fc.property(stepList, editsUpTo(12), (published, edits) => {
      let state = branchOf(published);
      for (const edit of edits) {
        const before = liveSteps(state).map(({ key }) => key);
        const others = before.filter((key) => key !== edit.key);
        const edited = attempt(state, edit);
        const highest = others.length;
        if ('removed' in edit || edit.position === undefined) {
          if (edited === 'refused')
            expect('removed' in edit && !before.includes(edit.key)).toBe(true);
        } else expect(edited === 'refused').toBe(edit.position > highest);
        if (!edited || edited === 'refused') continue;
        state = edited.state;
        const after = liveSteps(state).map(({ key }) => key);
        expect(after.filter((key) => key !== edit.key)).toEqual(others);
        if ('removed' in edit) expect(after).toEqual(others);
        else if (edit.position !== undefined) expect(after[edit.position]).toBe(edit.key);
        else if (before.includes(edit.key)) expect(after).toEqual(before);
      }
    }),
  );
});

test('no revision of a step comes twice, whatever is deleted and added again', () => {
  fc.assert(
    fc.property(stepList, editsUpTo(20), (published, edits) => {
      let state = branchOf(published);
      const seen = new Map(state.steps.map(({ key }) => [key, new Set([0])]));
      for (const edit of edits) {
        const edited = attempt(state, edit);
        if (!edited || edited === 'refused') continue;
        expect(edited.state.edits).toBe(state.edits + 1);
        state = edited.state;
        const step = state.steps.find(({ key }) => key === edit.key);
        if (!step) continue;
        const revisions = seen.get(edit.key) ?? new Set();
        expect(revisions).not.toContain(step.revision);
        seen.set(edit.key, revisions.add(step.revision));
      }
    }),
  );
});

test('a step that is shown alone is as the branch shows it', () => {
  fc.assert(
    fc.property(stepList, editsUpTo(10), (published, edits) => {
      let state = branchOf(published);
      for (const edit of edits) {
        const edited = attempt(state, edit);
        if (edited && edited !== 'refused') state = edited.state;
      }
      const shown = showSteps(7, state);
      expect(shown.map(({ key }) => showStep(7, state, key))).toEqual(shown);
      const live = shown.filter(({ status }) => status !== 'DELETED');
      expect(live.map(({ position }) => position)).toEqual(live.map((_, at) => at));
      const deleted = published.filter(({ key }) => live.every((step) => step.key !== key));
      const keys = shown.filter(({ status }) => status === 'DELETED').map(({ key }) => key);
      expect(new Set(keys)).toEqual(new Set(deleted.map(({ key }) => key)));
    }),
  );
});

test('an edit that gives what the step has already changes nothing', () => {
  const state = branchOf([stepOf('a'), stepOf('b')]);
  expect(editStep(state, { step: stepOf('b') }, EDITING)).toBeNull();
  expect(editStep(state, { step: stepOf('b'), position: 1 }, EDITING)).toBeNull();
});

test('a deleted step of the base is restored in its place, with its published definition to see', () => {
  const published = [stepOf('a'), stepOf('b'), stepOf('c')];
  const changed = editStep(branchOf(published), { step: stepOf('b', 1) }, EDITING);
  const removed = changed && removeStep(changed.state, 'b', EDITING);
  if (!removed) throw new Error('the edits change the branch');
  const shown = showStep(7, removed.state, 'b');
  expect(shown).toMatchObject({ status: 'DELETED', position: 1, definition: { set: { v: 0 } } });
  expect(removeStep(removed.state, 'b', EDITING)).toBeNull();
  const restored = editStep(removed.state, { step: stepOf('b') }, EDITING);
  expect(restored?.kind).toBe('RESTORED');
  expect(short(liveSteps(restored?.state ?? removed.state))).toEqual(short(published));
});

test('an added step that is deleted is unknown', () => {
  const added = editStep(branchOf([]), { step: stepOf('a') }, EDITING);
  const removed = added && removeStep(added.state, 'a', EDITING);
  if (!removed) throw new Error('the edits change the branch');
  expect(showStep(7, removed.state, 'a')).toBeNull();
  expect(() => removeStep(removed.state, 'a', EDITING)).toThrow('There is no step a');
});

test('a branch has at most 500 steps; a deleted step of its base counts until it is published', () => {
  const full = branchOf(Array.from({ length: MAX_STEPS }, (_, at) => stepOf(`s${at}`)));
  const add = (state: typeof full) => editStep(state, { step: stepOf('extra') }, EDITING);
  expect(() => add(full)).toThrow('at most 500 steps');
  const removed = removeStep(full, 's0', EDITING);
  if (!removed) throw new Error('the deletion changes the branch');
  expect(() => add(removed.state)).toThrow('at most 500 steps');
  const published = rebase(
    removed.state,
    removed.state,
    { revision: full.baseRevision + 1, steps: liveSteps(removed.state) },
    EDITING,
  );
  expect(add(published)?.kind).toBe('ADDED');
});

test('an edit of a branch beyond its limits may make it smaller', () => {
  const steps = Array.from({ length: 2 }, (_, at) =>
    storeStep({ key: `s${at}`, definition: { v: 'x'.repeat(200 * 1024) } }),
  );
  const small = storeStep({ key: 's0', definition: { v: 'x'.repeat(100 * 1024) } });
  expect(editStep(branchOf(steps), { step: small }, EDITING)?.kind).toBe('MODIFIED');
});

test('all definitions of a branch take at most 256 KiB together', () => {
  const ofBytes = (bytes: number) =>
    storeStep({ key: 'big', definition: { v: 'x'.repeat(bytes - '{"v":""}'.length) } });
  const state = branchOf([stepOf('a')]);
  const room = MAX_DEFINITION_BYTES - Buffer.byteLength(stepOf('a').definition);
  expect(editStep(state, { step: ofBytes(room) }, EDITING)?.kind).toBe('ADDED');
  expect(() => editStep(state, { step: ofBytes(room + 1) }, EDITING)).toThrow(
    'at most 262144 bytes',
  );
});
