import fc from 'fast-check';
import { MCP_PROBLEM_STATUSES } from '../../../mixins/gateway/mcp.ts';
import { e2e } from '../../fixtures/e2e.ts';
import type { Answer } from '../../helpers/http.ts';
import type { Sample } from '../operation-samples.ts';
import { type Operation, operations } from '../permissions-matrix.ts';
import { makeWorld, sampleEnvironment } from '../sample-world.ts';
import { sampleOf } from '../send-sample.ts';
import { everyMutation, type Mutation, mutationOf, sendMutated } from './bad-request.ts';

/** The seed of the generated requests; a failure names the seed and the path to the shrunk case. */
const SEED = 20_261_122;
/** Requests that are sent at the same time, as one case of the property. */
const BATCH = 16;
/** Cases of the property. With the requests of every field, more than 20 000 requests are sent. */
const CASES = 500;
/** The least number of requests of both tests together. */
const LEAST_REQUESTS = 20_000;
/**
 * The share of answers that may be 503: too many passwords at once, or too many changes of one resource. Each of
 * them says when to come back.
 */
const BUSY_SHARE = 0.01;

const LEAKS = /node_modules|\n\s+at |\bat \w+ \(|Mongo|E11000|TypeError|ZodError|\.ts:\d/;

const samples = new Map<Operation, Sample>();
const refused: string[] = [];
let sent = 0;
let busy = 0;

const off = { RATE_LIMIT: 'off', SIGN_IN_LIMIT: 'off', WORKSPACES_PER_PERSON: 'off' };
const { server, database } = e2e({
  database: true,
  env: async () => ({ ...off, ...(await sampleEnvironment()) }),
});
beforeAll(async () => {
  const world = await makeWorld(server.url);
  for (const operation of operations) samples.set(operation, await sampleOf(operation, world));
}, 120_000);

/** Whether the answer has a form that the interface promises; else what is wrong with it. */
function faultOf({ name }: Operation, answer: Answer<Record<string, unknown> | undefined>): string {
  const { status, headers, body, text } = answer;
  if (status < 400) return '';
  if (LEAKS.test(text)) return 'the answer leaks';
  if (status === 503 && headers['retry-after']) {
    busy++;
    return '';
  }
  if (status >= 500) return 'the answer is a 5xx';
  if (body?.error !== undefined && name === 'identity.token') return ''; // RFC 6749
  if (body?.jsonrpc === '2.0' && name === 'api.mcp' && !MCP_PROBLEM_STATUSES.has(status)) return '';
  if (headers['content-type']?.startsWith('application/problem+json') !== true) {
    return 'the answer is no problem';
  }
  if (body?.status !== status || !/^[A-Z][A-Z0-9_]*$/.test(String(body.code))) {
    return 'the problem contradicts the answer';
  }
  return '';
}

async function findFault(operation: Operation, mutations: readonly Mutation[]): Promise<string> {
  const answer = await sendMutated(server.url, operation, samples.get(operation) ?? {}, mutations);
  sent++;
  const requestId = answer.headers['x-request-id'];
  if (answer.status >= 400 && typeof requestId === 'string') refused.push(requestId);
  const fault = faultOf(operation, answer);
  const request = JSON.stringify(mutations).slice(0, 300);
  return fault && `${operation.name} ${request}: ${fault}: ${answer.status} ${answer.text}`;
}

/** A request of a case, with the operation by name so that a failure can print the case. */
type NamedRequest = readonly [string, readonly Mutation[]];

const byName = new Map(operations.map((operation) => [operation.name, operation]));

async function findFaults(requests: readonly NamedRequest[]): Promise<string[]> {
  const faults = requests.map(([name, mutations]) => {
    const operation = byName.get(name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    return findFault(operation, mutations);
  });
  return (await Promise.all(faults)).filter(Boolean);
}

test('each field of each operation with each hostile value is answered as promised', async () => {
  const requests = operations.flatMap((operation) =>
    everyMutation(operation).map((mutation): NamedRequest => [operation.name, [mutation]]),
  );
  const faults: string[] = [];
  for (let i = 0; i < requests.length; i += BATCH) {
    faults.push(...(await findFaults(requests.slice(i, i + BATCH))));
  }
  expect(faults.slice(0, BATCH)).toEqual([]);
}, 300_000);

test('generated requests are answered as promised', async () => {
  const requestOf = fc
    .constantFrom(...operations)
    .chain((operation) =>
      fc.tuple(
        fc.constant(operation.name),
        fc.array(mutationOf(operation), { minLength: 1, maxLength: 4 }),
      ),
    );
  const requests = fc.array(requestOf, { minLength: BATCH, maxLength: BATCH });
  await fc.assert(
    fc.asyncProperty(requests, async (all) => {
      expect(await findFaults(all)).toEqual([]);
    }),
    { seed: SEED, numRuns: CASES, endOnFailure: false },
  );
}, 300_000);

test('the requests are enough, and a refused one has changed nothing', async () => {
  process.stdout.write(`seed ${SEED}: ${sent} requests, ${refused.length} refused, ${busy} busy\n`);
  expect(sent).toBeGreaterThanOrEqual(LEAST_REQUESTS);
  expect(busy / sent).toBeLessThan(BUSY_SHARE);
  const entries = database.collection('audit_entries');
  const chunks = Array.from({ length: Math.ceil(refused.length / 1000) }, (_none, i) =>
    refused.slice(i * 1000, (i + 1) * 1000),
  );
  const changes = await Promise.all(
    chunks.map((requestId) => entries.countDocuments({ requestId: { $in: requestId } })),
  );
  expect(changes.reduce((sum, count) => sum + count, 0)).toBe(0);
});
