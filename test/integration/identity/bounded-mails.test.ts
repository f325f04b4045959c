import { KeyNoticeModel } from '../../../models/key-notice.model.ts';
import { MailSlotModel } from '../../../models/mail-slot.model.ts';
import { OutboxMailModel } from '../../../models/outbox-mail.model.ts';
import { UserModel } from '../../../models/user.model.ts';
import { createApiKey } from '../../../services/identity/api-keys/create-key.ts';
import {
  mailKeysOfFormerMember,
  sweepKeyNotices,
} from '../../../services/identity/api-keys/keys-of-former-member.ts';
import { mailSwitchedOff } from '../../../services/identity/mail/switched-off-mail.ts';
import { insertUser } from '../../../services/identity/users/users.ts';
import { testCall } from '../../helpers/call-context.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';

const { mails } = testCall();
const STRANGER = 900;
const BOB = { type: 'person', id: STRANGER, name: 'Bob' } as const;

useDatabase();
let ownerId: number;
beforeAll(async () => {
  const ada = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };
  const owner = await insertUser(ada, { passwordHash: null }, changeContext());
  ownerId = owner?._id ?? 0;
  await UserModel.updateOne({ _id: ownerId }, { emailVerified: true });
});
beforeEach(async () => {
  await MailSlotModel.deleteMany({});
  await OutboxMailModel.deleteMany({});
});

let notices = 0;
async function switchOff(workspaceId: number, payerId: number | null): Promise<void> {
  notices += 1;
  const id = `notice-${notices}`;
  const at = new Date().toISOString();
  const notice = { id, at, workspaceId, subscriptionId: notices, reason: 'Gone.' };
  await mailSwitchedOff([{ ...notice, ownerIds: [ownerId], payerId }], mails);
}

const texts = async () =>
  (await OutboxMailModel.find().sort({ _id: 1 }).lean()).map(({ text }) => text ?? '');
/** The workspaces of the mails, in their order. */
const mailedWorkspaces = async () =>
  (await texts()).map((text) => Number(/workspace (\d+)/.exec(text)?.[1]));
const letHourPass = () => MailSlotModel.updateMany({}, { freeAt: new Date(0) });

it('a mail about a switched-off subscription is sent once an hour about a workspace, and about each', async () => {
  await switchOff(1, ownerId);
  await switchOff(1, ownerId);
  await switchOff(2, ownerId);
  expect(await mailedWorkspaces()).toEqual([1, 2]);
  await letHourPass();
  await switchOff(1, ownerId);
  expect(await mailedWorkspaces()).toEqual([1, 2, 1]);
});

it('the mails about workspaces of strangers are bounded, and take none from those about the own', async () => {
  for (let workspaceId = 11; workspaceId <= 20; workspaceId++) {
    await switchOff(workspaceId, workspaceId % 2 ? STRANGER : null);
  }
  expect(await mailedWorkspaces()).toEqual([11, 12, 13, 14, 15]);
  await switchOff(1, ownerId);
  expect(await mailedWorkspaces()).toContain(1);
});

async function bobLeaves(workspaceId: number): Promise<number> {
  const key = { workspaceId, name: 'Form', scopes: ['issues:create' as const] };
  const { id } = await createApiKey(key, changeContext({ actor: BOB }), testCall());
  await mailKeysOfFormerMember({ workspaceId, userId: BOB.id, ownerIds: [ownerId] }, mails);
  return id;
}
/** As if the notices were due. */
const letDue = () => KeyNoticeModel.updateMany({}, { dueAt: new Date(0) });

it('the next mail about keys of former members, an hour later, tells of all that has come together', async () => {
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
