import type { Caller } from '../../../../contract/caller.ts';
import { TooManyWaiting } from '../../../../contract/quota.ts';
import { TrustedProxies } from '../../../../environment/values/trusted-proxies.ts';
import { waitingPlaces } from '../../../../mixins/gateway/limits/waiting-requests.ts';

const person = (userId: number): Caller => ({
  kind: 'person',
  userId,
  name: 'Ada',
  sessionId: 's',
});
const limits = { perCaller: 3, perProcess: 8 };
const proxies = new TrustedProxies(['10.0.0.0/8']);

/** Requests that wait until the test ends their call. */
function setUp() {
  const waiting = waitingPlaces(limits, proxies);
  const calls: (() => void)[] = [];
  const refused: unknown[] = [];
  const send = async (userId: number, address: string, res = { closed: false }) => {
    const before = calls.length;
    const { promise, resolve } = Promise.withResolvers<void>();
    const call = () => {
      calls.push(resolve);
      return promise;
    };
    const from = { caller: person(userId), client: { address, userAgent: null } };
    waiting.hold(from, res, call).catch((error: unknown) => refused.push(error));
    await new Promise(setImmediate);
    return calls.length > before;
  };
  const end = async (index: number) => {
    calls[index]?.();
    await new Promise(setImmediate);
  };
  return { send, end, refused };
}

/** Whether requests of many callers, one after the other, were let wait. */
async function sendAll(send: ReturnType<typeof setUp>['send'], addresses: readonly string[]) {
  const found: boolean[] = [];
  for (const [at, address] of addresses.entries()) found.push(await send(at, address));
  return found.filter(Boolean).length;
}

it('lets one network have half of all places, whoever its callers are', async () => {
  const { send, refused } = setUp();
  const ofOne = Array.from({ length: 6 }, (_, n) => `2001:db8:1:2::${n + 1}`);
  expect(await sendAll(send, ofOne)).toBe(4);
  expect(refused).toMatchObject([
    {
      type: TooManyWaiting.code,
      message: '4 requests of one network may wait at once.',
      data: { members: { quota: 'WAITING_PER_PROCESS', limit: 4 } },
    },
    {},
  ]);
  expect(await sendAll(send, Array(6).fill('203.0.113.9'))).toBe(4);
});

it.each(['10.1.2.3', '127.0.0.1'])(
  'leaves all places to %s, which stands for many clients',
  async (address) => {
    const { send } = setUp();
    expect(await sendAll(send, Array(9).fill(address))).toBe(8);
  },
);

it('gives a place back when the call has ended, not when the client has gone', async () => {
  const { send, end } = setUp();
  const res = { closed: false };
  const found = [await send(1, '203.0.113.1', res), await send(1, '203.0.113.1')];
  expect([...found, await send(1, '203.0.113.1')]).toEqual([true, true, true]);
  res.closed = true;
  expect(await send(1, '203.0.113.1')).toBe(false);
  await end(0);
  expect(await send(1, '203.0.113.1')).toBe(true);
  expect(await send(1, '203.0.113.1')).toBe(false);
});

it('makes no call for a client that has gone already', async () => {
  const { send, refused } = setUp();
  expect(await send(1, '203.0.113.1', { closed: true })).toBe(false);
  expect(refused).toEqual([]);
});
