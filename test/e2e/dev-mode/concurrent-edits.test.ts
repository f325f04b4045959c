import { addMember, type Person } from '../../helpers/people.ts';
import { BranchCalls, set, step } from './branch.ts';

let branch: BranchCalls;
let people: Person[];
beforeEach(async () => {
  branch = await BranchCalls.create(Array.from({ length: 20 }, (_, n) => step(`k${n}`, n)));
  const { url, owner, workspaceId } = branch;
  people = [owner, await addMember(url, owner, workspaceId, 'MEMBER')];
});

it('of different steps lose nothing, the first ones included, which make the branch', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      branch.edit(`k${n}`, { definition: set(`new ${n}`) }, {}, people[n % people.length]),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const ids = answers.map(({ body }) => body.snapshot.id).sort((a, b) => a - b);
  expect(ids).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  const { steps } = (await branch.get()).body;
  expect(steps.map(({ definition }) => definition)).toEqual(
    Array.from({ length: 20 }, (_, n) => set(`new ${n}`)),
  );
  const edits = (await branch.history()).body;
  expect(edits.map(({ snapshot }) => snapshot.id)).toEqual(ids);
  expect(new Set(edits.map(({ updatedBy }) => updatedBy.id)).size).toBe(people.length);
});

it('of the same step with the revision that was read: one wins, the others are told', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      branch.edit(
        'k3',
        { definition: set(`by ${n}`), expectedRevision: 0 },
        {},
        people[n % people.length],
      ),
    ),
  );
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  for (const { status, body } of answers.filter((each) => each !== won[0])) {
    expect([status, body.currentRevision]).toEqual([409, 1]);
  }
  const shown = (await branch.getStep('k3')).body.definition;
  expect(shown).toEqual(won[0]?.body.step.definition);
});

it('beside publications: each edit is published or still in the branch', async () => {
  await branch.edit('k0', { definition: set('first') });
  const edits = Array.from({ length: 19 }, async (_, n) => {
    const { status } = await branch.edit(`k${n + 1}`, { definition: set(`new ${n + 1}`) });
    expect(status).toBe(200);
    return (await branch.publish()).status;
  });
  expect(new Set(await Promise.all(edits))).toEqual(new Set([200]));
  const shown = (await branch.get()).body.steps.map(({ definition }) => definition);
  expect(shown).toEqual([
    set('first'),
    ...Array.from({ length: 19 }, (_, n) => set(`new ${n + 1}`)),
  ]);
  expect((await branch.publish()).status).toBe(200);
  expect((await branch.published()).steps.map(({ definition }) => definition)).toEqual(shown);
});
