import { e2e, made } from '../fixtures/e2e.ts';
import { request } from '../helpers/http.ts';
import { operations } from './permissions-matrix.ts';
import { makeWorld } from './sample-world.ts';
import { sampleOf, sendSample } from './send-sample.ts';

/** Every GET of a single resource in a workspace. */
const reads = operations.filter(
  ({ method, path, contract }) =>
    method === 'GET' && path.endsWith('}') && contract.access.who === 'member',
);
/**
 * Round trips with warm caches, where they are not one: a version reads its flow first, a step its run, and
 * an API description then reads the credential that it shows. A branch reads its workflow first, and a whole branch what is
 * published as well. A diff reads the flow and two versions. A conversation reads who answers it, and its messages. A file
 * finds the attachment and its conversation once for its headers and once for its bytes, which it then reads.
 */
const SEQUENTIAL_READS: Readonly<Record<string, number>> = {
  'assistant.getAttachment': 5,
  'assistant.getConversation': 3,
  'connections.getApiDescription': 2,
  'dev-mode.getBranch': 3,
  'dev-mode.getStep': 2,
  'flows.diff': 3,
  'flows.getVersion': 2,
  'runs.getStep': 2,
};
const warmOf = (name: string): number => SEQUENTIAL_READS[name] ?? 1;

/** Requests over which the round trips are averaged: the service reads less than one more of itself for each. */
const REQUESTS = 40;
/** Batches of such requests, of which the cheapest counts: on a busy machine the service reads more of itself meanwhile. */
const BATCHES = 8;

const { server } = e2e({ env: { METRICS_PORT: '0' }, oneProcess: true });
const world = made(() => makeWorld(server.url));

let metricsAt: string;

beforeAll(async () => {
  const line = server.logLines().find(({ msg }) => msg === 'Metrics are served');
  metricsAt = new URL(String(line?.url)).origin;
});

/** The `find` and `aggregate` commands that the driver has sent, by its monitoring. */
async function countReads(): Promise<number> {
  const { text } = await request(metricsAt, 'GET', '/metrics');
  const counts = text.matchAll(
    /^mongodb_command_duration_seconds_count\{command="(?:find|aggregate)",[^}]*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test.each(reads)(
  '$name costs one round trip with warm caches',
  async (operation) => {
    const sample = await sampleOf(operation, world);
    const get = async () => {
      expect((await sendSample(server.url, operation, sample)).status).toBe(200);
    };
    await get();
    const expected = warmOf(operation.name);
    let least = Number.POSITIVE_INFINITY;
    for (let batch = 0; batch < BATCHES && least > expected; batch++) {
      const before = await countReads();
      for (let n = 0; n < REQUESTS; n++) await get();
      least = Math.min(least, Math.floor(((await countReads()) - before) / REQUESTS));
    }
    expect([operation.name, least]).toEqual([operation.name, expected]);
  },
  60_000,
);
