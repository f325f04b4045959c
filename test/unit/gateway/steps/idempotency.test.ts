import { pino } from 'pino';
import { z } from 'zod';
import type { ReadRequest } from '../../../../mixins/gateway/gateway-request.ts';
import type { Reply } from '../../../../mixins/gateway/reply.ts';
import {
  type Attempt,
  type Claim,
  createIdempotencyStep,
  type IdempotencyRecords,
} from '../../../../mixins/gateway/steps/idempotency.ts';

const CREATED: Reply = { status: 201, headers: { Location: '/boxes/7' }, body: '{"id":7}' };
const claimed: Claim = { kind: 'claimed', reservedId: 7 };

const PERSON = { kind: 'person', userId: 1 };
const requestOf = (
  caller: object = PERSON,
  key = 'k',
  body = '{}',
  access: object = { who: 'key' },
  rules: object = { idempotency: { sequence: 'boxes' } },
) =>
  ({
    caller,
    http: { headers: { 'idempotency-key': key } },
    route: { method: 'POST', contract: { route: 'POST /boxes', access, ...rules } },
    segments: ['boxes'],
    query: { values: { api_key: key }, faults: [] },
    body: Buffer.from(body),
    requestId: 'r',
  }) as unknown as ReadRequest;

function setUp(claim: Claim = claimed, keepReply = jest.fn(async () => undefined)) {
  const claims = jest.fn(async () => claim);
  const release = jest.fn(async () => undefined);
  const renew = jest.fn(async () => undefined);
  const discard = jest.fn(async () => undefined);
  const records = { claim: claims, keepReply, release, renew, discard };
  const answerOnce = createIdempotencyStep(
    records as unknown as IdempotencyRecords,
    pino({ level: 'silent' }),
  );
  const answer = (
    request: ReadRequest,
    serve: () => Promise<Reply>,
    assertAccess = async () => undefined,
  ) => answerOnce(request, serve, assertAccess);
  return { answer, claims, keepReply, release, renew, discard };
}
const attempts = (claims: jest.Mock) => claims.mock.calls.map(([attempt]) => attempt as Attempt);

describe('the answer of an attempt', () => {
  it('is kept, and the request carries the reserved id', async () => {
    const { answer, keepReply } = setUp();
    const request = requestOf();
    expect(await answer(request, async () => CREATED)).toBe(CREATED);
    expect(request.reservedId).toBe(7);
    expect(keepReply).toHaveBeenCalledWith(expect.anything(), CREATED);
  });

  it.each<[string, Reply]>([
    ['a failure of ours', { status: 500, headers: {}, body: '{}' }],
    ['a failure that passes', { status: 503, headers: { 'Retry-After': '1' }, body: '{}' }],
    ['a refusal that passes', { status: 429, headers: { 'Retry-After': '1' }, body: '{}' }],
    ['a refusal of a role', { status: 403, headers: {}, body: '{}' }],
    ['a refusal of a stranger', { status: 404, headers: {}, body: '{}' }],
    ['a long refusal', { status: 409, headers: {}, body: 'x'.repeat(2 * 1024 + 1) }],
    ['a long body', { status: 201, headers: {}, body: 'x'.repeat(64 * 1024 + 1) }],
  ])('is not kept when it is %s, but fingerprint and reserved id are', async (_what, reply) => {
    const { answer, keepReply, release } = setUp();
    expect(await answer(requestOf(), async () => reply)).toBe(reply);
    expect([keepReply, release].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  });

  it('is discarded with its fingerprint when the request was not valid', async () => {
    const { answer, keepReply, release, discard } = setUp();
    await answer(requestOf(), async () => ({ status: 400, headers: {}, body: '{}' }));
    expect([keepReply, release, discard].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 1]);
  });

  it('is kept whatever its length where no reserved id finds the effect again', async () => {
    const { answer, keepReply } = setUp({ kind: 'claimed', reservedId: null });
    const long: Reply = { status: 200, headers: {}, body: 'x'.repeat(64 * 1024 + 1) };
    const request = requestOf(PERSON, 'k', '{}', { who: 'key' }, {});
    expect(await answer(request, async () => long)).toBe(long);
    expect(request.reservedId).toBeUndefined();
    expect(keepReply).toHaveBeenCalledWith(expect.anything(), long);
  });

  it('is kept without the fields that are shown once', async () => {
    const { answer, keepReply } = setUp();
    const body = JSON.stringify({ id: 7, key: 'secret', name: 'x' });
    const request = requestOf(PERSON, 'k', '{}', { who: 'key' }, { shownOnce: ['key'] });
    const sent = await answer(request, async () => ({ ...CREATED, body }));
    expect(sent?.body).toBe(body);
    const kept = { ...CREATED, body: JSON.stringify({ id: 7, key: null, name: 'x' }) };
    expect(keepReply).toHaveBeenCalledWith(expect.anything(), kept);
  });

  it('may take longer than a lease: the lease is renewed', async () => {
    jest.useFakeTimers();
    try {
      const { answer, renew } = setUp();
      await answer(requestOf(), async () => {
        await jest.advanceTimersByTimeAsync(45_000);
        return CREATED;
      });
      expect(renew).toHaveBeenCalledTimes(15);
      await jest.advanceTimersByTimeAsync(45_000);
      expect(renew).toHaveBeenCalledTimes(15);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is repeated only to a caller who may still make the call', async () => {
    const { answer } = setUp({ kind: 'answered', reply: CREATED });
    const serve = jest.fn(async () => CREATED);
    expect(await answer(requestOf(), serve)).toMatchObject({ status: 201, body: CREATED.body });
    const refuse = () => Promise.reject(new Error('no such workspace'));
    await expect(answer(requestOf(), serve, refuse)).rejects.toThrow('no such workspace');
    expect(serve).not.toHaveBeenCalled();
  });

  it('reaches the client also where it cannot be kept', async () => {
    const keepReply = jest.fn(() => Promise.reject(new Error('the database is away')));
    const { answer } = setUp(claimed, keepReply);
    expect(await answer(requestOf(), async () => CREATED)).toBe(CREATED);
  });
});

describe('the lease of an attempt', () => {
  const away = () => Promise.reject(new Error('the database is away'));

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('whose answer could not be kept is given back once the database is there', async () => {
    const { answer, release } = setUp(claimed, jest.fn(away));
    release.mockImplementationOnce(away);
    await answer(requestOf(), async () => CREATED);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(release).toHaveBeenCalledTimes(2);
    expect(release).toHaveBeenLastCalledWith([
      { id: expect.any(String), lease: expect.any(String) },
    ]);
  });

  it('whose claim had no answer is given back', async () => {
    const { answer, claims, release } = setUp();
    claims.mockImplementationOnce(away);
    await expect(answer(requestOf(), async () => CREATED)).rejects.toThrow('away');
    await jest.advanceTimersByTimeAsync(1_000);
    const [attempt] = attempts(claims);
    expect(release).toHaveBeenCalledWith([{ id: attempt?.id, lease: attempt?.lease }]);
  });

  it('is left to run out where the database stays away', async () => {
    const { answer, release } = setUp(claimed, jest.fn(away));
    release.mockImplementation(away);
    await answer(requestOf(), async () => CREATED);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(release.mock.calls.length).toBeLessThan(25);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a key', () => {
  it('of an anonymous caller does not count: strangers would share it', async () => {
    const { answer, claims } = setUp();
    await answer(requestOf({ kind: 'anonymous' }), async () => CREATED);
    expect(claims).not.toHaveBeenCalled();
  });

  it('is of one caller, and of one request whatever the API key in its query', async () => {
    const { answer, claims } = setUp();
    await answer(requestOf({ kind: 'person', userId: 1 }), async () => CREATED);
    await answer(requestOf({ kind: 'api-key', keyId: 1 }), async () => CREATED);
    await answer(requestOf(undefined, 'other'), async () => CREATED);
    await answer(requestOf(undefined, 'k', '{"a":1}'), async () => CREATED);
    const [person, apiKey, other, changed] = attempts(claims);
    expect(new Set([person?.id, apiKey?.id, other?.id]).size).toBe(3);
    expect(other?.fingerprint).toBe(person?.fingerprint);
    expect(changed?.id).toBe(person?.id);
    expect(changed?.fingerprint).not.toBe(person?.fingerprint);
  });

  it('makes a record of a body with secrets that depends on none of them', async () => {
    const event = z.object({ sequence: z.number() }); // drops every other field
    const rules = { idempotency: { hasSecrets: true }, body: { event } };
    const { answer, claims } = setUp();
    const send = (body: object, faults: object[] = []) => {
      const request = requestOf(PERSON, 'k', JSON.stringify(body), { who: 'member' }, rules);
      return answer(Object.assign(request, { params: body, faults }) as never, async () => CREATED);
    };
    const fault = [{ in: 'body', path: 'x', code: 'unknown_field', message: 'is no field' }];
    await send({ event: { sequence: 1, password: 'hunter2' } });
    await send({ event: { sequence: 1, password: 'hunter3' } });
    await send({ event: { sequence: 2 } });
    await send({ event: { sequence: 1 } }, fault);
    await send({ event: { sequence: 'hunter2' } });
    await send({ event: { sequence: 'hunter3' } });
    const contents = attempts(claims).map(({ fingerprint, secret }) => `${fingerprint} ${secret}`);
    const first = [0, 1, 2, 3, 4, 5].map((at) => contents.indexOf(contents[at] ?? ''));
    expect(first).toEqual([0, 0, 2, 3, 4, 4]);
  });

  it('is of another request when `api_key` says nothing of who calls', async () => {
    const { answer, claims } = setUp();
    const access = { who: 'person' };
    await answer(requestOf(PERSON, 'k', '{}', access), async () => CREATED);
    await answer(requestOf(PERSON, 'other', '{}', access), async () => CREATED);
    const [one, other] = attempts(claims);
    expect(other?.fingerprint).not.toBe(one?.fingerprint);
  });

  it.each<[Claim, object]>([
    [{ kind: 'in-flight' }, { code: 409, data: { retryAfter: 1 } }],
    [{ kind: 'reused' }, { code: 422 }],
  ])('whose claim is %j makes no call', async (claim, problem) => {
    const { answer } = setUp(claim);
    const serve = jest.fn(async () => CREATED);
    await expect(answer(requestOf(), serve)).rejects.toMatchObject(problem);
    expect(serve).not.toHaveBeenCalled();
    const refuse = () => Promise.reject(new Error('no such workspace'));
    await expect(answer(requestOf(), serve, refuse)).rejects.toThrow('no such workspace');
  });
});
