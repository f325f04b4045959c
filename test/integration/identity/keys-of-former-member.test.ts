import { KeyNoticeModel } from '../../../models/key-notice.model.ts';
import { MailSlotModel } from '../../../models/mail-slot.model.ts';
import { OutboxMailModel } from '../../../models/outbox-mail.model.ts';
import { UserModel } from '../../../models/user.model.ts';
import { createApiKey } from '../../../services/identity/api-keys/create-key.ts';
import {
  mailKeysOfFormerMember,
  sweepKeyNotices,
} from '../../../services/identity/api-keys/keys-of-former-member.ts';
import { insertUser } from '../../../services/identity/users/users.ts';
import { testCall } from '../../helpers/call-context.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';

const { mails } = testCall();
const BOB = { type: 'person', id: 900, name: 'Bob' } as const;

useDatabase();
let ownerId: number;
beforeAll(async () => {
  const ada = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };
  const owner = await insertUser(ada, { passwordHash: null }, changeContext());
  ownerId = owner?._id ?? 0;
  await UserModel.updateOne({ _id: ownerId }, { emailVerified: true });
});

async function bobLeaves(workspaceId: number): Promise<number> {
  const key = { workspaceId, name: 'Form', scopes: ['issues:create' as const] };
  const { id } = await createApiKey(key, changeContext({ actor: BOB }), testCall());
  await mailKeysOfFormerMember({ workspaceId, userId: BOB.id, ownerIds: [ownerId] }, mails);
  return id;
}
const texts = async () =>
  (await OutboxMailModel.find().sort({ _id: 1 }).lean()).map(({ text }) => text);
/** As if it were so much later. */
const letDue = () => KeyNoticeModel.updateMany({}, { dueAt: new Date(0) });
const letHourPass = () => MailSlotModel.updateMany({}, { freeAt: new Date(0) });

it('tells by the next mail, an hour later, of all that has come together', async () => {
  const ids = [];
  for (const workspaceId of [1, 2, 3]) ids.push(await bobLeaves(workspaceId));
  await letDue();
  await sweepKeyNotices(mails);
  expect(await texts()).toHaveLength(1);

  await letHourPass();
  await sweepKeyNotices(mails); // tried a moment ago
  expect(await texts()).toHaveLength(1);
  await letDue();
  await sweepKeyNotices(mails);
  await sweepKeyNotices(mails);
  const [first, second] = await texts();
  expect(await texts()).toHaveLength(2);
  expect(first).toContain(`- key ${ids[0]}:`);
  expect(second?.match(/- key \d+/g)).toEqual([`- key ${ids[1]}`, `- key ${ids[2]}`]);
  expect(await KeyNoticeModel.countDocuments()).toBe(0);
});
