import { type Compiled, createSandbox } from '@workspace-automation/flow-language';
import { FileChecks } from '../../../services/flows/check-content.ts';
import { compileInTurn, validateInTurn } from '../../../services/runs/engine/check-queues.ts';
import { ShareOwners } from '../../../services/share-owners/share-owners.ts';
import * as sandboxes from '../../../support/sandbox.ts';

jest.mock('../../../support/sandbox.ts');
const files = createSandbox();
const checked: string[] = [];
const ends = Promise.withResolvers<Compiled>();
beforeAll(() => {
  jest.mocked(sandboxes.fileSandbox).mockReturnValue(files);
  jest.spyOn(files, 'compile').mockImplementation((text) => {
    checked.push(text);
    return ends.promise;
  });
  jest.spyOn(files, 'validateInput').mockImplementation(async () => {
    checked.push('an input');
    return { valid: true };
  });
});
afterAll(() => files.close());

const shareOf = (userId: number) => ({ owner: `person:${userId}`, tenant: `workspace:${userId}` });
const fileChecks = new FileChecks(
  new ShareOwners({
    ofWorkspace: async (id) => shareOf(id).owner,
    ofPerson: async (id) => shareOf(id).owner,
  }),
);

test('files and starts of one owner together have one child, and the other is left for others', async () => {
  const greedy = [
    fileChecks.assertCompiles(1, 'a file'),
    compileInTurn('a version', shareOf(1), 'start'),
    validateInTurn({}, {}, shareOf(1)),
  ];
  await new Promise(setImmediate);
  expect(checked).toHaveLength(1);
  expect(await validateInTurn({}, {}, shareOf(2))).toEqual({ valid: true });
  ends.resolve({ plan: null, faults: [], warnings: [] });
  await Promise.all(greedy);
  expect(checked).toHaveLength(4);
});
