import {
  type OutboundClient,
  OutboundError,
  type OutboundErrorKind,
  type OutboundRequest,
} from '@workspace-automation/outbound-http';
import type { PreparedRequest } from '../../../services/connections/contract/internal.ts';
import { sendTest, type TestRequest } from '../../../services/connections/test-call/send-test.ts';

const FIRST = 'the-first-token';
const SECOND = 'the-second-token';

const preparedWith = (token: string): PreparedRequest => ({
  ok: true,
  method: 'GET',
  url: 'https://api.example/me',
  secretHeaders: { authorization: `Bearer ${token}` },
  credentialId: 7,
  secrets: [token],
  tokenId: `id of ${token}`,
});

/** A test whose tokens are these, one after another. */
function testWith(...tokens: string[]): TestRequest & { refused: (string | undefined)[] } {
  const refused: (string | undefined)[] = [];
  return {
    refused,
    async prepare(refusedToken) {
      refused.push(refusedToken);
      return preparedWith(tokens[refused.length - 1] ?? '');
    },
    headers: {},
    body: null,
    target: { in: 'body', path: 'url' },
  };
}

/** A client that repeats the secret of each request, with that status for the first token. */
function clientOf(status: number): OutboundClient & { sent: OutboundRequest[] } {
  const sent: OutboundRequest[] = [];
  return {
    sent,
    async send(request) {
      sent.push(request);
      const authorization = request.secretHeaders?.authorization ?? '';
      const isFirst = authorization.includes(FIRST);
      return {
        status: isFirst ? status : 200,
        headers: {},
        body: Buffer.from(`${FIRST} ${authorization}`),
        truncated: false,
        url: request.url,
      };
    },
    close: async () => undefined,
  };
}

test('a request whose token is refused is sent once more with another token', async () => {
  const request = testWith(FIRST, SECOND);
  const client = clientOf(401);
  expect(await sendTest(request, client)).toMatchObject({ status: 200, body: '*** Bearer ***' });
  expect(request.refused).toEqual([undefined, `id of ${FIRST}`]);
  expect(client.sent.map(({ secretHeaders }) => secretHeaders?.authorization)).toEqual([
    `Bearer ${FIRST}`,
    `Bearer ${SECOND}`,
  ]);
});

test('a request is not sent again where there is no other token', async () => {
  const client = clientOf(401);
  expect(await sendTest(testWith(FIRST, FIRST), client)).toMatchObject({ status: 401 });
  expect(client.sent).toHaveLength(1);
});

test('a request that is answered otherwise is sent once', async () => {
  const client = clientOf(403);
  expect(await sendTest(testWith(FIRST, SECOND), client)).toMatchObject({ status: 403 });
  expect(client.sent).toHaveLength(1);
});

test.each<[OutboundErrorKind, number, string]>([
  ['TIMEOUT', 504, 'TARGET_TIMEOUT'],
  ['CONNECTION_FAILED', 502, 'TARGET_UNREACHABLE'],
  ['TOO_LARGE', 502, 'TARGET_UNREACHABLE'],
  ['ABORTED', 502, 'TARGET_UNREACHABLE'],
  ['TARGET_REFUSED', 400, 'INVALID_REQUEST'],
  ['INVALID_REQUEST', 400, 'INVALID_REQUEST'],
])('a request that ends with %s is answered %d', async (kind, code, type) => {
  const client = clientOf(200);
  const failure = new OutboundError(kind, `It failed beside ${FIRST}.`);
  const failing = { ...client, send: async () => Promise.reject(failure) };
  const problem = sendTest(testWith(FIRST), failing);
  await expect(problem).rejects.toMatchObject({ code, type });
  await expect(problem).rejects.not.toMatchObject({ message: expect.stringContaining(FIRST) });
});
