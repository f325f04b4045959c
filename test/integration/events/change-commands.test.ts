import { changesOf } from '../../../mixins/changes/change-store.ts';
import type { StoreOptions } from '../../../mixins/changes/store-options.ts';
import { databaseCommand } from '../../../mixins/database/commands.ts';
import { EventSubscriptionModel } from '../../../models/event-subscription.model.ts';
import { type IssueDocument, IssueModel } from '../../../models/issue.model.ts';
import { noIssue } from '../../../services/issues/issues.problems.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';
import { insertSubscription } from './delivering.ts';

useDatabase([IssueModel, EventSubscriptionModel]);

const change = changeContext();
const commands: string[] = [];
databaseCommand.subscribe(({ command }) => commands.push(command));

const silent: StoreOptions<IssueDocument, never> = { missing: noIssue };
const telling: StoreOptions<IssueDocument, never> = {
  ...silent,
  outgoing: {
    publish: 'issues.publishEvents',
    typeOf: () => 'issue.updated',
    snapshot: ({ title }) => ({ title }),
    workspaceOf: ({ workspaceId }) => workspaceId,
  },
};

/** The commands of each write of a store, and the calls in the outbox of the document after its change. */
async function write(options: StoreOptions<IssueDocument, never>) {
  const store = changesOf(IssueModel, options);
  const now = new Date();
  const fields = { workspaceId: 1, title: 'a', description: '', status: 'OPEN' };
  const issue = { ...fields, createdAt: now, updatedAt: now };
  const sent: string[][] = [];
  const take = () => sent.push(commands.splice(0));
  commands.length = 0;
  const created = await store.create(
    issue as unknown as Parameters<typeof store.create>[0],
    change,
  );
  take();
  const changed = await store.change(created, () => ({ set: { title: 'b' } }), change);
  take();
  const stored = await IssueModel.findById(created._id).lean();
  commands.length = 0;
  await store.remove(changed, change);
  take();
  const calls = stored?.outbox?.flatMap((entry) => ('call' in entry ? entry.call : []));
  return { sent, calls };
}

test('a change with an event that a subscription asks for sends the same commands as a change without one', async () => {
  await write(silent); // takes a block of ids
  const without = await write(silent);
  await insertSubscription(1);
  const withEvent = await write(telling);
  expect(withEvent.calls).toContain('issues.publishEvents');
  expect(without.calls).not.toContain('issues.publishEvents');
  expect(withEvent.sent).toEqual(without.sent);
  expect(without.sent).toEqual([['insert'], ['findAndModify'], ['update']]);
});
