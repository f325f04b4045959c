import { randomUUID } from 'node:crypto';
import { e2e, type Refusable, type Result } from '../fixtures/e2e.ts';
import { type Answer, request } from '../helpers/http.ts';
import { CORE } from '../helpers/spread.ts';

const { server: system, owner, workspace } = e2e({ processes: ['api', 'api', CORE] });

const ROUNDS = 10;
const FLOOD = 200;

type Issue = Refusable<Result<'issues.get'>>;

const post = (url: string, key: string) =>
  request<Issue>(url, 'POST', workspace.issues, {
    token: owner.token,
    body: { title: key, description: '' },
    headers: { 'idempotency-key': key },
  });
const countIssues = async () => (await owner.call<Issue[]>('GET', workspace.issues)).body.length;
const isReplay = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';

function assertOneCreated(answers: readonly Answer<Issue>[]): void {
  const created = answers.filter(({ status }) => status === 201);
  expect(created.filter((answer) => !isReplay(answer))).toHaveLength(1);
  expect(new Set(created.map(({ text }) => text)).size).toBe(1);
  for (const { status, body, headers } of answers.filter((answer) => answer.status !== 201)) {
    expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_KEY_IN_FLIGHT']);
    expect(headers['retry-after']).toBe('1');
  }
}

test('requests with one key at two gateways at once make one issue, and each repeat gets its answer', async () => {
  const { urls } = system;
  const before = await countIssues();
  for (let round = 1; round <= ROUNDS; round++) {
    const key = randomUUID();
    const together = await Promise.all([...urls, ...urls].map((url) => post(url, key)));
    const repeats = await Promise.all(urls.map((url) => post(url, key)));
    expect(repeats.map(isReplay)).toEqual([true, true]);
    assertOneCreated([...together, ...repeats]);
    expect(await countIssues()).toBe(before + round);
  }
});

test(`${FLOOD} simultaneous requests with one key at two gateways make one issue, and no answer is a 5xx`, async () => {
  const { urls } = system;
  const before = await countIssues();
  const key = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: FLOOD }, (_, n) => post(urls[n % urls.length] ?? '', key)),
  );
  assertOneCreated(answers);
  expect(await countIssues()).toBe(before + 1);
});
