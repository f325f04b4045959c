import { pino } from 'pino';
import type { ReadRequest } from '../../../../mixins/gateway/gateway-request.ts';
import type { Reply } from '../../../../mixins/gateway/reply.ts';
import {
  type Claim,
  type IdempotencyRecords,
  idempotency,
} from '../../../../mixins/gateway/steps/idempotency.ts';

const CREATED: Reply = { status: 201, headers: { Location: '/boxes/7' }, body: '{"id":7}' };
const claimed: Claim = { kind: 'claimed', reservedId: 7 };

const PERSON = { kind: 'person', userId: 1 };
const requestOf = (
  caller: object = PERSON,
  key = 'k',
  body = '{}',
  access: object = { who: 'key' },
) =>
  ({
    caller,
    http: { headers: { 'idempotency-key': key } },
    route: { method: 'POST', contract: { access, idempotency: { sequence: 'boxes' } } },
    segments: ['boxes'],
    query: { values: { api_key: key }, faults: [] },
    body: Buffer.from(body),
    requestId: 'r',
  }) as unknown as ReadRequest;

function setUp(claim: Claim = claimed, complete = jest.fn(async () => undefined)) {
  const claims = jest.fn(async () => claim);
  const records = { claim: claims, complete } as unknown as IdempotencyRecords;
  const answerOnce = idempotency(records, pino({ level: 'silent' }));
  const answer = (
    request: ReadRequest,
    serve: () => Promise<Reply>,
    assertAccess = async () => undefined,
  ) => answerOnce(request, serve, assertAccess);
  return { answer, claims, complete };
}
const attempts = (claims: jest.Mock) =>
  claims.mock.calls.map(([attempt]) => attempt as { id: string; fingerprint: string });

describe('the answer of an attempt', () => {
  it('is kept, and the request carries the reserved id', async () => {
    const { answer, complete } = setUp();
    const request = requestOf();
    expect(await answer(request, async () => CREATED)).toBe(CREATED);
    expect(request.reservedId).toBe(7);
    expect(complete).toHaveBeenCalledWith(expect.anything(), CREATED);
  });

  it.each<[string, Reply]>([
    ['a failure of ours', { status: 500, headers: {}, body: '{}' }],
    ['a refusal that passes', { status: 429, headers: { 'Retry-After': '1' }, body: '{}' }],
    ['a refusal of a role', { status: 403, headers: {}, body: '{}' }],
    ['a refusal of a stranger', { status: 404, headers: {}, body: '{}' }],
    ['a long body', { status: 201, headers: {}, body: 'x'.repeat(64 * 1024 + 1) }],
  ])('is not kept when it is %s: another attempt may begin at once', async (_what, reply) => {
    const { answer, complete } = setUp();
    expect(await answer(requestOf(), async () => reply)).toBe(reply);
    expect(complete).toHaveBeenCalledWith(expect.anything(), null);
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
    const complete = jest.fn(() => Promise.reject(new Error('the database is away')));
    const { answer } = setUp(claimed, complete);
    expect(await answer(requestOf(), async () => CREATED)).toBe(CREATED);
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

  it('is of another request when `api_key` says nothing of who calls', async () => {
    const { answer, claims } = setUp();
    const access = { who: 'person' };
    await answer(requestOf(PERSON, 'k', '{}', access), async () => CREATED);
    await answer(requestOf(PERSON, 'other', '{}', access), async () => CREATED);
    const [one, other] = attempts(claims);
    expect(other?.fingerprint).not.toBe(one?.fingerprint);
  });

  it.each<[Claim, object]>([
    [
      { kind: 'in-flight', retryAfter: 9 },
      { code: 409, data: { retryAfter: 9 } },
    ],
    [{ kind: 'reused' }, { code: 422 }],
  ])('whose claim is %j makes no call', async (claim, problem) => {
    const { answer } = setUp(claim);
    const serve = jest.fn(async () => CREATED);
    await expect(answer(requestOf(), serve)).rejects.toMatchObject(problem);
    expect(serve).not.toHaveBeenCalled();
  });
});
