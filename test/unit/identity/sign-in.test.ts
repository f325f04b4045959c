import * as argon2 from '@node-rs/argon2';
import { hashPassword, verifyPassword } from '../../../services/identity/passwords/password.ts';
import { signIn } from '../../../services/identity/sessions/sign-in.ts';
import { SignInLimits } from '../../../services/identity/sessions/sign-in-limits.ts';
import { findByEmail } from '../../../services/identity/users/users.ts';
import { TokenBuckets } from '../../../support/token-buckets.ts';
import { testCall } from '../../helpers/call-context.ts';

jest.mock('@node-rs/argon2', () => {
  const actual = jest.requireActual<typeof argon2>('@node-rs/argon2');
  return { ...actual, verify: jest.fn(actual.verify), hash: jest.fn(actual.hash) };
});
jest.mock('../../../services/identity/users/users.ts', () => ({ findByEmail: jest.fn() }));

const verify = jest.mocked(argon2.verify);
const SHARE = { owner: 'network:192.0.2.1', tenant: 'account:ada@example.com' };
const credentials = { email: 'ada@example.com', password: 'a wrong password' };

/** The parameters of each hash that was compared. */
async function workOf(user: { passwordHash: string | null } | null) {
  verify.mockClear();
  jest.mocked(argon2.hash).mockClear();
  jest.mocked(findByEmail).mockResolvedValue(user as never);
  await expect(signIn(credentials, testCall())).rejects.toMatchObject({
    type: 'INVALID_CREDENTIALS',
  });
  expect(argon2.hash).not.toHaveBeenCalled();
  return verify.mock.calls.map(([kept]) => argon2.parseOptions(kept));
}

describe('a refused sign-in', () => {
  beforeAll(async () => void (await verifyPassword(null, 'prepared', SHARE)));

  it('does the same hash work for an unknown address, one without password and a wrong password', async () => {
    const wrong = await workOf({ passwordHash: await hashPassword('the right password', SHARE) });
    expect(wrong).toEqual([
      expect.objectContaining({ memoryCost: 19_456, timeCost: 2, parallelism: 1 }),
    ]);
    expect(await workOf(null)).toEqual(wrong);
    expect(await workOf({ passwordHash: null })).toEqual(wrong);
  });
});

it('beyond its limit is refused before anything is compared', async () => {
  const limits = new SignInLimits(
    { count: 1, seconds: 60 },
    (_name, limit) => new TokenBuckets(limit),
  );
  const call = testCall({ limits });
  jest.mocked(findByEmail).mockResolvedValue(null);
  await expect(signIn(credentials, call)).rejects.toMatchObject({ type: 'INVALID_CREDENTIALS' });
  verify.mockClear();
  await expect(signIn(credentials, call)).rejects.toMatchObject({ type: 'TOO_MANY_ATTEMPTS' });
  expect(verify).not.toHaveBeenCalled();
});

describe('a password', () => {
  it('is the same in composed and decomposed form', async () => {
    const hash = await hashPassword('pâte à crêpes'.normalize('NFD'), SHARE);
    expect(await verifyPassword(hash, 'pâte à crêpes'.normalize('NFC'), SHARE)).toBe(true);
  });

  it('is hashed by argon2id with OWASP parameters', async () => {
    expect(await hashPassword('seven green kettles', SHARE)).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
    );
  });

  it('matches nothing where none is kept', async () => {
    expect(await verifyPassword(null, '', SHARE)).toBe(false);
  });
});
