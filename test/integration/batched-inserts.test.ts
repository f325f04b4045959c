import { mongo } from 'mongoose';
import { batchInsert } from '../../mixins/database/batched-inserts.ts';
import { databaseCommand } from '../../mixins/database/commands.ts';
import { isDuplicateKey } from '../../mixins/database/database.ts';
import { type IssueDocument, IssueModel } from '../../models/issue.model.ts';
import { createIssue } from '../../services/issues/create-issue.ts';
import { isDatabaseAway } from '../../support/database-outage.ts';
import { changeContext } from '../helpers/change-context.ts';
import { useDatabase } from '../helpers/database.ts';

const insert = batchInsert<IssueDocument>(IssueModel, ({ description }) => description.length > 10);
const NOBODY = { people: async () => new Map(), isMember: async () => false };
let commands = 0;

const issueOf = (_id: number): IssueDocument => ({
  _id,
  workspaceId: 1,
  title: `issue ${_id}`,
  description: '',
  status: 'OPEN',
  assignedUserId: null,
  reporter: { type: 'person', id: 1, name: 'Ada' },
  titleWords: ['issue', String(_id)],
  descriptionWords: [],
  createdAt: new Date(),
  updatedAt: new Date(),
  revision: 1,
});
const storedIds = async () => (await IssueModel.find({}, { _id: 1 }).lean()).map(({ _id }) => _id);

databaseCommand.subscribe(({ command }) => {
  if (command === 'insert') commands++;
});
const database = useDatabase();
beforeEach(async () => {
  await IssueModel.deleteMany({});
  commands = 0;
});
afterEach(() => jest.restoreAllMocks());

describe('inserts of one turn', () => {
  it('cost one command together, and store every document as it is', async () => {
    const issues = [1, 2, 3].map(issueOf);
    await Promise.all(issues.map(insert));
    expect(commands).toBe(1);
    expect(await IssueModel.find().sort({ _id: 1 }).lean()).toEqual(issues);
  });

  it('cost one command together where issues are raised', async () => {
    const newIssue = { workspaceId: 1, title: 'The mill', description: '' };
    const change = changeContext();
    await createIssue(newIssue, change, NOBODY); // takes a block of ids
    commands = 0;
    const raised = await Promise.all(
      ['a', 'b', 'c'].map((title) => createIssue({ ...newIssue, title }, change, NOBODY)),
    );
    expect(commands).toBe(1);
    expect(new Set(raised.map(({ id }) => id)).size).toBe(3);
    expect((await storedIds()).length).toBe(4);
  });

  it('are not held up by a large one, which goes alone', async () => {
    const large = { ...issueOf(1), description: 'The mill turns backwards.' };
    await Promise.all([large, issueOf(2), issueOf(3)].map(insert));
    expect(commands).toBe(2);
    expect(await storedIds()).toHaveLength(3);
  });

  it('do not fail with the one that fails', async () => {
    await insert(issueOf(2));
    const ends = await Promise.allSettled([1, 2, 3].map((id) => insert(issueOf(id))));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(ends.map((end) => 'reason' in end && isDuplicateKey(end.reason))).toEqual([
      false,
      true,
      false,
    ]);
    expect(await storedIds()).toEqual([2, 1, 3]);
  });

  it('are sent alone where their command is refused as a whole, so that each has its own outcome', async () => {
    const refused = new mongo.MongoServerError({ message: 'no', code: 2 });
    jest.spyOn(IssueModel.collection, 'insertMany').mockRejectedValueOnce(refused);
    await Promise.all([1, 2].map((id) => insert(issueOf(id))));
    expect(await storedIds()).toEqual([1, 2]);
  });
});

describe('an insert', () => {
  it('that is alone in its turn is rejected with its own error', async () => {
    await insert(issueOf(1));
    const error = await insert(issueOf(1)).catch((reason: unknown) => reason);
    expect(isDuplicateKey(error)).toBe(true);
  });

  it('is rejected as by a database that is away when it has gone, alone and with others', async () => {
    await database.mongo.stop();
    const alone = await insert(issueOf(1)).catch((reason: unknown) => reason);
    const ends = await Promise.allSettled([2, 3].map((id) => insert(issueOf(id))));
    const reasons = [alone, ...ends.map((end) => 'reason' in end && end.reason)];
    expect(reasons.map(isDatabaseAway)).toEqual([true, true, true]);
  });
});
