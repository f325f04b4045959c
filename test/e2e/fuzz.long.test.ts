import { readFileSync } from 'node:fs';
import http from 'node:http';
import fc from 'fast-check';
import { e2e, made } from '../fixtures/e2e.ts';
import { type DescribedOperation, OpenApi } from '../helpers/openapi.ts';
import { registerVerified } from '../helpers/people.ts';
import { faultsOf } from './fuzz/answer-faults.ts';
import { type CallerName, type Recipe, recipesOf } from './fuzz/recipe.ts';
import { send, wireRequestOf } from './fuzz/send-recipe.ts';
import type { Sample } from './operation-samples.ts';
import { type Operation, operations } from './permissions-matrix.ts';
import { createKey, makeWorld, sampleEnvironment } from './sample-world.ts';
import { sampleOf } from './send-sample.ts';

/** How many requests are sent, and the seed of their values: `FUZZ_SEED` and `FUZZ_REQUESTS` choose others. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 20_000);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
/** Requests under way at once. */
const CONCURRENCY = 12;
/** Requests of an operation after which its sample is made anew: the resources of the sample may be gone. */
const SAMPLE_USES = 30;
/** Bytes that the process may have in memory at the end. */
const MAX_RSS_BYTES = 900 * 1024 * 1024;

const { server, stranger } = e2e({ env: sampleEnvironment, oneProcess: true });
const world = made(() => makeWorld(server.url));

let api: OpenApi;
const agent = new http.Agent({ keepAlive: true, maxSockets: CONCURRENCY });
beforeAll(async () => {
  api = await OpenApi.of(server.url);
});
afterAll(async () => {
  agent.destroy();
});

/** Operations by which whoever has a token joins its workspace: a stranger would be none afterwards. */
const OPENS_WORKSPACE = new Set(['workspaces.acceptInvitationByToken']);

class Fuzz {
  readonly #rules = new Map(operations.map((rule) => [rule.name, rule]));
  readonly #samples = new Map<string, { uses: number; sample: Promise<Sample> }>();
  readonly #credentials: Record<Exclude<CallerName, 'owner'>, Record<string, string>>;
  readonly statuses = new Map<number, number>();
  /** One example of each fault. */
  readonly faults = new Map<string, string>();

  constructor(credentials: Record<Exclude<CallerName, 'owner'>, Record<string, string>>) {
    this.#credentials = credentials;
  }

  /** The rule of an operation, which the document has no words for. */
  #ruleOf(id: string): Operation {
    const rule = this.#rules.get(id);
    if (!rule) throw new Error(`${id} has no contract`);
    return rule;
  }

  #sampleOf(rule: Operation): Promise<Sample> {
    const known = this.#samples.get(rule.name);
    if (known && known.uses++ < SAMPLE_USES) return known.sample;
    const made = { uses: 1, sample: sampleOf(rule, world) };
    this.#samples.set(rule.name, made);
    return made.sample;
  }

  async play(operation: DescribedOperation, given: Recipe): Promise<void> {
    const recipe = OPENS_WORKSPACE.has(operation.id)
      ? { ...given, caller: 'owner' as const }
      : given;
    const rule = this.#ruleOf(operation.id);
    const sample = await this.#sampleOf(rule);
    const credentials =
      recipe.caller === 'owner'
        ? sample.token === undefined
          ? {}
          : { authorization: `Bearer ${sample.token}` }
        : this.#credentials[recipe.caller];
    const own =
      recipe.caller === 'owner' ? sample : { ...sample, headers: withoutKeys(sample.headers) };
    const wire = wireRequestOf(operation, recipe, own, credentials);
    const shown = () =>
      `${recipe.caller} ${wire.method} ${wire.target.slice(0, 200)} ${JSON.stringify({ ...wire.headers, authorization: undefined }).slice(0, 300)} ${wire.payload?.toString().slice(0, 500) ?? ''}`;
    try {
      const answer = await send(server.url, agent, wire);
      this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
      for (const fault of faultsOf(api, { operation, rule, recipe, wire, answer })) {
        this.#note(`${operation.id}: ${fault}`, shown());
      }
    } catch (error) {
      this.#note(`${operation.id}: ${(error as Error).message}`, shown());
    }
  }

  #note(fault: string, request: string): void {
    if (!this.faults.has(fault)) this.faults.set(fault, request);
  }
}

/** The headers of a sample without its API key: another caller has none of the owner's. */
const withoutKeys = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'x-api-key'),
  );

it(`answers ${REQUESTS} requests as the document says (FUZZ_SEED=${SEED})`, async () => {
  const { key } = await createKey(world, 'flows:read');
  const fuzz = new Fuzz({
    stranger: { authorization: `Bearer ${stranger.token}` },
    guest: { authorization: `Bearer ${world.guest.token}` },
    key: { 'x-api-key': key },
    nobody: {},
  });
  const each = Math.ceil(REQUESTS / api.operations.length);
  const plan = api.operations.map((operation) =>
    fc.sample(recipesOf(api, operation), { numRuns: each, seed: SEED }),
  );
  const turns = Array.from({ length: each }, (_, turn) =>
    api.operations.map((operation, at) => ({ operation, recipe: plan[at]?.[turn] as Recipe })),
  ).flat();
  const queue = turns.values();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const { operation, recipe } of queue) await fuzz.play(operation, recipe);
    }),
  );
  expect([...fuzz.faults].map(([fault, request]) => `${fault}\n    ${request}`)).toEqual([]);
  expect([...fuzz.statuses.keys()]).toEqual(
    expect.arrayContaining([200, 201, 202, 204, 400, 401, 403, 404, 405, 415]),
  );
  expect(rssOf(server.pid)).toBeLessThan(MAX_RSS_BYTES);
  expect((await registerVerified(server.url)).id).toBeGreaterThan(stranger.id);
}, 900_000);

/** The bytes that a process has in memory. */
function rssOf(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}
