import { MailSlotModel } from '../../../models/mail-slot.model.ts';
import { OutboxMailModel } from '../../../models/outbox-mail.model.ts';
import { UserModel } from '../../../models/user.model.ts';
import { mailSwitchedOff } from '../../../services/identity/mail/switched-off-mail.ts';
import { insertUser } from '../../../services/identity/users/users.ts';
import { testCall } from '../../helpers/call-context.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';

const { mails } = testCall();
const STRANGER = 900;

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

/** The workspaces of the mails, in their order. */
async function mailedWorkspaces(): Promise<number[]> {
  const stored = await OutboxMailModel.find().sort({ _id: 1 }).lean();
  return stored.map(({ text }) => Number(/workspace (\d+)/.exec(text ?? '')?.[1]));
}

it('mails once an hour about a workspace, and about each', async () => {
  await switchOff(1, ownerId);
  await switchOff(1, ownerId);
  await switchOff(2, ownerId);
  expect(await mailedWorkspaces()).toEqual([1, 2]);
  await MailSlotModel.updateMany({}, { freeAt: new Date(0) });
  await switchOff(1, ownerId);
  expect(await mailedWorkspaces()).toEqual([1, 2, 1]);
});

it('bounds the mails about workspaces of strangers, which take none from those about the own', async () => {
  for (let workspaceId = 11; workspaceId <= 20; workspaceId++) {
    await switchOff(workspaceId, workspaceId % 2 ? STRANGER : null);
  }
  expect(await mailedWorkspaces()).toEqual([11, 12, 13, 14, 15]);
  await switchOff(1, ownerId);
  expect(await mailedWorkspaces()).toContain(1);
});
