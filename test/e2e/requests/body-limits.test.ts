import { e2e } from '../../fixtures/e2e.ts';
import { type ProblemBody, request } from '../../helpers/http.ts';
import { createWorkspace } from '../../helpers/people.ts';
import { createFlow } from '../../helpers/runs.ts';

const { server, owner: person } = e2e();

const KIB = 1024;
const zeros = (bytes: number) => Array<number>(bytes / 2).fill(0);

it.each([
  ['POST', '/auth/register'],
  ['POST', '/auth/sign-in'],
  ['POST', '/auth/refresh'],
  ['POST', '/auth/sign-out'],
  ['PUT', '/auth/password'],
  ['POST', '/auth/password/forgot'],
  ['POST', '/auth/password/reset'],
  ['POST', '/auth/email/verify'],
  ['POST', '/auth/email/undo'],
])('%s %s takes no body over 16 KiB', async (method, path) => {
  const { token } = person;
  const post = (bytes: number) =>
    request<ProblemBody>(server.url, method, path, { token, body: { x: zeros(bytes) } });
  expect((await post(16 * KIB)).body.code).toBe('BODY_TOO_LARGE');
  expect((await post(15 * KIB)).body.code).toBe('INVALID_REQUEST');
});

it.each([
  ['numbers', zeros(30 * KIB)],
  ['objects', Array<object>(10_000).fill({})],
])('a list of more %s than any field needs is 400', async (_what, content) => {
  const { status, body } = await person.call<ProblemBody>('POST', '/flows/validate', {
    body: { content },
  });
  expect(status).toBe(400);
  expect(body.errors).toEqual([
    { in: 'body', path: '', code: 'too_many_values', message: 'has more than 10000 values' },
  ]);
});

it("a run's input may have as many values as its bytes hold", async () => {
  const workspace = await createWorkspace(person);
  const flow = await createFlow(person, workspace, 'do: []\n');
  const input = zeros(239 * KIB);
  const { status } = await person.call('POST', `/flows/${flow}/runs`, { body: { input } });
  expect(status).toBe(202);
});
