import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import type { SigningKey } from '../../../environment/values/key-set.ts';
import type { RateLimit } from '../../../environment/values/rate-limit.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import {
  findKnownNetwork,
  withNetwork,
} from '../../../services/identity/sessions/known-networks.ts';
import { type Attempt, SignInLimits } from '../../../services/identity/sessions/sign-in-limits.ts';
import { signingKeys } from '../../../services/identity/sessions/signing-keys.ts';
import { TokenBuckets } from '../../../support/token-buckets.ts';

jest.mock('../../../services/identity/sessions/signing-keys.ts', () => ({
  signingKeys: jest.fn(),
}));

const keyOf = (kid: string): SigningKey => ({
  kid,
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }),
});
const [old, next] = [keyOf('old'), keyOf('next')];
const keys = jest.mocked(signingKeys).mockReturnValue([old]);

const DAY_MS = 24 * 3600 * 1000;
const client = (address: string) => ({ address, userAgent: null });
const userFrom = (...addresses: string[]): UserDocument => {
  let user = {} as UserDocument;
  for (const address of addresses) {
    user = { ...user, knownNetworks: withNetwork(user, client(address)) ?? [] };
  }
  return user;
};
const ada = (address: string, user: UserDocument | null = null): Attempt => ({
  emailKey: 'ada@example.com',
  user,
  client: client(address),
});
const inMemory = (_name: string, limit: RateLimit) => new TokenBuckets(limit);
const limits = (paceMs = 0) => new SignInLimits({ count: 3, seconds: 60 }, inMemory, paceMs);
const admits = async (
  all: SignInLimits,
  attempt: Attempt,
  onLock: () => void = () => undefined,
) => {
  try {
    await all.admitAccount(attempt, onLock);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ type: 'TOO_MANY_ATTEMPTS', data: { retryAfter: 20 } });
    return false;
  }
};
/** Counts the attempts that are admitted one after another. */
const admitted = async (all: SignInLimits, attempt: Attempt): Promise<number> => {
  let count = 0;
  while (count < 100 && (await admits(all, attempt))) count++;
  return count;
};

it('counts an account whether it exists or not, from whatever address', async () => {
  for (const user of [null, {} as UserDocument]) {
    const all = limits();
    expect(await admitted(all, ada('192.0.2.1', user))).toBe(3);
    expect(await admitted(all, ada('192.0.2.2', user))).toBe(0);
    expect(await admitted(all, { ...ada('192.0.2.2', user), emailKey: 'bob@example.com' })).toBe(3);
  }
});

it('forgets the attempts at an account of all its networks and sessions, of an address only when named', async () => {
  const user = userFrom('192.0.2.1');
  const all = limits();
  const session = { ...ada('192.0.2.1', user), sessionId: 's' };
  const attempts = [ada('198.51.100.1', user), ada('192.0.2.1', user), session];
  for (const attempt of attempts) expect(await admitted(all, attempt)).toBe(3);
  await all.admitNetwork(client('198.51.100.1'));
  const knownHashes = (user.knownNetworks ?? []).map(({ hash }) => hash);
  const counters = { emailKey: 'ada@example.com', knownHashes, sessionIds: ['s'] };
  const locked = { attempts: 3, locked: true };
  expect(await all.reset(counters)).toEqual([
    { of: 'unknown networks', ...locked },
    { of: 'known network', ...locked },
    { of: 'session', ...locked },
  ]);
  for (const attempt of attempts) expect(await admitted(all, attempt)).toBe(3);
  expect(await all.reset({ ...counters, address: '198.51.100.1' })).toContainEqual({
    of: 'address',
    attempts: 1,
    locked: false,
  });
});

it('lets strangers lock an account for one another, not for networks that it was signed in from', async () => {
  const user = userFrom('192.0.2.1', '2001:db8:1:2::1');
  const all = limits();
  expect(await admitted(all, ada('198.51.100.1', user))).toBe(3);
  expect(await admitted(all, ada('192.0.2.1', user))).toBe(3);
  expect(await admitted(all, ada('2001:db8:1:2:ffff::9', user))).toBe(3);
  expect(await admitted(all, ada('2001:db8:1:3::1', user))).toBe(0);
  expect(await admitted(all, { ...ada('198.51.100.1', user), sessionId: 'mine' })).toBe(3);
});

it('tells of a lock once', async () => {
  const all = limits();
  const onLock = jest.fn();
  for (let n = 0; n < 10; n++) await admits(all, ada('192.0.2.1'), onLock);
  expect(onLock).toHaveBeenCalledTimes(1);
});

it('gives a network five times the attempts of an account, an IPv6 network by its /64', async () => {
  const all = limits();
  const admitNetwork = async (address: string) => {
    for (let count = 0; ; count++) {
      try {
        await all.admitNetwork(client(address));
      } catch {
        return count;
      }
    }
  };
  expect(await admitNetwork('192.0.2.1')).toBe(15);
  expect(await admitNetwork('192.0.2.2')).toBe(15);
  expect(await admitNetwork('2001:db8::1')).toBe(15);
  expect(await admitNetwork('2001:db8::2')).toBe(0);
  expect(await admitNetwork('2001:db8:0:1::2')).toBe(15);
});

it('begins the attempts of one network one after another, and those of another network at once', async () => {
  const all = limits(20);
  const begun: string[] = [];
  const admit = (address: string) =>
    all.admitNetwork(client(address)).then(() => void begun.push(address));
  const flood = Promise.all(['192.0.2.1', '192.0.2.1', '192.0.2.1'].map(admit));
  await admit('192.0.2.2');
  expect(begun).toEqual(['192.0.2.1', '192.0.2.2']);
  await flood;
  expect(begun).toHaveLength(4);
});

it('refuses an attempt at once that would wait too long behind others of its network', async () => {
  const all = limits(3_500);
  await all.admitNetwork(client('192.0.2.1'));
  await expect(all.admitNetwork(client('192.0.2.1'))).rejects.toMatchObject({
    type: 'TOO_MANY_ATTEMPTS',
    data: { retryAfter: 4 },
  });
  await all.admitNetwork(client('192.0.2.2'));
});

it('counts attempts at a client secret by network and client id', async () => {
  const all = limits();
  const count = async (clientId: string, address: string) => {
    for (let n = 0; ; n++) {
      const admitted = await all.admitClient(clientId, client(address)).then(
        () => true,
        () => false,
      );
      if (!admitted) return n;
    }
  };
  expect(await count('robot', '192.0.2.1')).toBe(3);
  expect(await count('robot', '192.0.2.2')).toBe(3);
  expect(await count('other', '192.0.2.1')).toBe(3);
});

it('limits nothing when it is off', async () => {
  expect(await admitted(new SignInLimits(null), ada('192.0.2.1'))).toBe(100);
});

describe('known networks', () => {
  it('stay known while signing keys are replaced, and are written down under the first', () => {
    const home = client('192.0.2.1');
    const user = { knownNetworks: withNetwork(null, home) ?? [] };
    keys.mockReturnValue([next, old]);
    expect(findKnownNetwork(user, home)).not.toBeNull();
    const written = { knownNetworks: withNetwork(user, home) ?? [] };
    expect(written.knownNetworks).toHaveLength(1);
    keys.mockReturnValue([next]);
    expect(findKnownNetwork(user, home)).toBeNull();
    expect(findKnownNetwork(written, home)).not.toBeNull();
    keys.mockReturnValue([old]);
  });

  const start = new Date('2026-01-01T00:00:00.000Z');
  const later = (ms: number) => new Date(start.getTime() + ms);

  it('are known for 30 days, and written down once a day', () => {
    const known = { knownNetworks: withNetwork(null, client('192.0.2.1'), start) ?? [] };
    expect(findKnownNetwork(known, client('192.0.2.1'), later(30 * DAY_MS))).not.toBeNull();
    expect(findKnownNetwork(known, client('192.0.2.1'), later(30 * DAY_MS + 1))).toBeNull();
    expect(findKnownNetwork(known, client('192.0.2.2'), start)).toBeNull();
    expect(withNetwork(known, client('192.0.2.1'), later(DAY_MS))).toBeNull();
    expect(withNetwork(known, client('192.0.2.1'), later(DAY_MS + 1))).toHaveLength(1);
  });

  it('are the latest 16 at most, and say no address', () => {
    fc.assert(
      fc.property(fc.array(fc.ipV4(), { minLength: 1, maxLength: 40 }), (addresses) => {
        const { knownNetworks = [] } = userFrom(...addresses);
        expect(knownNetworks.length).toBeLessThanOrEqual(16);
        expect(findKnownNetwork({ knownNetworks }, client(addresses.at(-1) ?? ''))).not.toBeNull();
        for (const address of addresses)
          expect(JSON.stringify(knownNetworks)).not.toContain(`"${address}"`);
      }),
    );
  });
});
