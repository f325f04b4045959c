import type { Caller } from '../../../contract/caller.ts';
import { UserModel } from '../../../models/user.model.ts';
import { erasureActions } from '../../../services/erasure-calls.ts';
import { deleteUser } from '../../../services/identity/users/deletion/delete-user.ts';
import { finishDeletions } from '../../../services/identity/users/deletion/finish-deletions.ts';
import { testCall } from '../../helpers/call-context.ts';
import { find, newAccount, useUsers } from './unverified-accounts.ts';

useUsers();

const end = jest.fn(async () => undefined);
const memberships = { assertRemovable: async () => undefined, end };
beforeEach(() => end.mockReset());

/** An account whose deletion was cut off before its memberships ended. */
async function cutOffDeletion(): Promise<number> {
  const { id, sessionId } = await newAccount();
  const caller: Caller = { kind: 'person', userId: id, name: 'Ada', sessionId };
  end.mockRejectedValueOnce(new Error('the process died'));
  await expect(deleteUser(id, testCall({ caller }), memberships)).rejects.toThrow('died');
  end.mockClear();
  return id;
}

/** A sweep that many seconds from now. */
const sweep = (seconds: number) => finishDeletions(memberships, Date.now() + seconds * 1_000);
/** The calls that are to follow the changes of a user. */
const callsOf = async (id: number) =>
  (await UserModel.findById(id).lean())?.outbox?.map((entry) => 'call' in entry && entry.call) ??
  [];

it('a deletion that was cut off is finished by the sweep, once', async () => {
  const id = await cutOffDeletion();
  const before = await callsOf(id);
  await sweep(0); // leaves alone what may be under way
  expect([end.mock.calls.length, (await find(id))?.deletion?.erasedAt]).toEqual([0, undefined]);
  await Promise.all([sweep(31), sweep(31)]);
  await sweep(31);
  expect(end).toHaveBeenCalledWith(
    id,
    expect.objectContaining({ operation: 'identity.verifyEmail' }),
  );
  expect(await find(id)).toMatchObject({ email: '', firstName: 'Deleted', passwordHash: null });
  const calls = (await callsOf(id)).slice(before.length);
  expect(calls).toEqual(['workspaces.recordAudit', ...erasureActions('erasePerson')]);

  end.mockClear();
  await sweep(120);
  expect([end.mock.calls.length, await find(id)]).toEqual([1, null]);
});
