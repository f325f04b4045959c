import { SessionModel } from '../../../models/session.model.ts';
import { verifyEmail } from '../../../services/identity/email-verification/verify-email.ts';
import { readAccessToken } from '../../../services/identity/sessions/access-token.ts';
import { randomOf } from '../../faults/random.ts';
import { testCall } from '../../helpers/call-context.ts';
import { type Choice, holdRoundTrips, interleave } from '../workspaces/interleaving.ts';
import { find, letExpire, newAccount, sweep, useUsers } from './unverified-accounts.ts';

const ROUNDS = 60;

useUsers();

it('is verified or deleted, never both, in whatever order two processes and its owner come', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const account = await newAccount();
    const closed = round % 2 === 0;
    await letExpire();
    if (closed) {
      await sweep();
      await letExpire();
    }
    const claims = readAccessToken(account.token);
    const caller = {
      kind: 'person',
      userId: account.id,
      name: 'Ada',
      sessionId: claims?.sessionId ?? '',
    } as const;
    holdRoundTrips();
    const random = randomOf(round);
    const choose: Choice = (many) => Math.floor(random() * many);
    const [verified] = await interleave(
      [() => verifyEmail({ token: account.mailed }, testCall({ caller })), sweep, sweep],
      choose,
      async () => undefined,
    );
    jest.restoreAllMocks();
    await letExpire();
    await sweep();
    await letExpire();
    await sweep();
    const left = await find(account.id);
    expect([round, left !== null]).toEqual([round, verified?.status === 'fulfilled']);
    if (left) expect(left).toMatchObject({ emailVerified: true });
  }
  expect(await SessionModel.countDocuments()).toBeGreaterThan(0);
});
