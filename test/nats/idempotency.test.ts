import { randomUUID } from 'node:crypto';
import { type ProblemBody, request } from '../helpers/http.ts';
import { createWorkspace, register } from '../helpers/people.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { groundOf, startPart } from '../helpers/spread.ts';

afterAll(stopServers);

const ROUNDS = 10;

interface Issue extends ProblemBody {
  id: number;
}

test('requests with one key at two gateways at once make one issue, and each repeat gets its answer', async () => {
  const ground = await groundOf(dataFolder());
  const gateways = [startPart(ground, 'api'), startPart(ground, 'api')];
  startPart(ground, 'identity,workspaces,issues');
  const urls = (await Promise.all(gateways.map(({ ready }) => ready))).map((url) => url ?? '');
  const owner = await register(urls[0] ?? '');
  const issues = `/workspaces/${await createWorkspace(owner)}/issues`;
  const post = (url: string, key: string) =>
    request<Issue>(url, 'POST', issues, {
      token: owner.token,
      body: { title: key, description: '' },
      headers: { 'idempotency-key': key },
    });

  for (let round = 1; round <= ROUNDS; round++) {
    const key = randomUUID();
    const together = await Promise.all([...urls, ...urls].map((url) => post(url, key)));
    const created = together.filter(({ status }) => status === 201);
    expect(created.filter(({ headers }) => !headers['idempotent-replayed'])).toHaveLength(1);
    for (const { status, body, headers } of together.filter((answer) => answer.status !== 201)) {
      expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_KEY_IN_FLIGHT']);
      expect(headers['retry-after']).toBe('1');
    }
    const repeats = await Promise.all(urls.map((url) => post(url, key)));
    expect(repeats.map(({ headers }) => headers['idempotent-replayed'])).toEqual(['true', 'true']);
    expect(new Set([...created, ...repeats].map(({ text }) => text)).size).toBe(1);
    expect((await owner.call<Issue[]>('GET', issues)).body).toHaveLength(round);
  }
});
