import { CUTS, CuttingProxy, type Outage } from '../helpers/cutting-proxy.ts';
import { type Answer, type ProblemBody, request } from '../helpers/http.ts';
import { dataFolder, startServer, stopServers, type TestServer } from '../helpers/server.ts';
import { startDatabase } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';
import { SAMPLES, type Sample } from './operation-samples.ts';
import { type Operation, operations } from './permissions-matrix.ts';
import { makeWorld, sampleEnvironment, type World } from './sample-world.ts';

let proxy: CuttingProxy;
let server: TestServer;
let world: World | undefined;
beforeAll(async () => {
  const dataDir = dataFolder();
  proxy = await CuttingProxy.start((await startDatabase(dataDir)).uri);
  server = await startServer({
    dataDir,
    env: {
      MONGODB_URI: proxy.uri,
      EVENT_SUBSCRIPTIONS_PER_WORKSPACE: 'off',
      ...(await sampleEnvironment()),
    },
  });
});
afterAll(async () => {
  await stopServers();
  await proxy.stop();
});

/** Commands that one request may issue. More of them mean a loop without an end. */
const MAX_COMMANDS = 60;
/** Milliseconds within which an answer comes, whatever the database does. */
const ANSWERED_WITHIN_MS = 30_000;

const successesOf = ({ contract }: Operation): number[] =>
  [contract.status ?? 200, contract.otherStatus?.status].filter((status) => status !== undefined);

async function send(operation: Operation, sample: Sample): Promise<Answer<ProblemBody>> {
  const { method, path } = operation;
  const at = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(sample.path?.[name]));
  const begun = performance.now();
  const answer = await request<ProblemBody>(server.url, method, at, sample);
  expect(performance.now() - begun).toBeLessThan(ANSWERED_WITHIN_MS);
  return answer;
}

async function sampleOf({ name }: Operation): Promise<Sample> {
  const make = SAMPLES[name];
  if (!make || !world) throw new Error(`${name} has no sample, or no world`);
  return make(world);
}

/** Resolves when the server has seen the database again after the last outage. */
const untilReady = (): Promise<boolean> =>
  waitFor(
    'readiness',
    async () => (await request(server.url, 'GET', '/health/ready')).status === 200,
  );

/** Sends a request during the outage and again afterwards. Returns whether a command met the outage. */
async function meet(operation: Operation, outage: Outage): Promise<boolean> {
  await untilReady();
  const sample = await sampleOf(operation);
  proxy.order(outage);
  const answer = await send(operation, sample);
  const { commands, cut } = await proxy.end();
  const what = [operation.name, outage, commands, answer.text];
  const successes = successesOf(operation);
  if (answer.status === 503) {
    // The errors of MCP are those of JSON-RPC.
    if (operation.name !== 'api.mcp') {
      expect([what, ['UNAVAILABLE', 'NOT_READY']]).toEqual([
        what,
        expect.arrayContaining([answer.body.code]),
      ]);
    }
    // Readiness also tells what the driver's monitoring has seen of an earlier outage.
    if (operation.name !== 'api.ready') expect([what, cut]).toEqual([what, expect.any(String)]);
  } else expect([what, successes]).toEqual([what, expect.arrayContaining([answer.status])]);
  await untilReady(); // work in the background may have met the outage as well
  const { status, text } = await send(operation, sample);
  const expected = [...successes, ...(sample.repeated ?? [])];
  expect([what, text, expected]).toEqual([what, text, expect.arrayContaining([status])]);
  return cut !== undefined;
}

/** One connection loss, which the driver makes up for, or one that outlives the driver's second try. */
const OUTAGES = CUTS.flatMap((lost) => [true, false].map((lasting) => ({ lost, lasting })));

/** Some operations are answered from memory for a second. */
let commandsCut = 0;

/** Operations that share a world. Each sample makes rows, and a workspace has at most 100 of some. */
const OPERATIONS_OF_A_WORLD = 16;
/** Streams end with their run, and have tests of their own. */
const answered = operations.filter(({ contract }) => contract.format !== 'events');

describe.each(answered.map((operation, at) => [operation.name, operation, at] as const))(
  '%s',
  (_name, operation, place) => {
    beforeAll(async () => {
      if (place % OPERATIONS_OF_A_WORLD === 0) world = undefined;
      world ??= await makeWorld(server.url);
    });

    it.each(OUTAGES)('a lost $lost, lasting: $lasting', async (outage) => {
      let at = 1;
      while (await meet(operation, { ...outage, at })) {
        expect(at).toBeLessThan(MAX_COMMANDS);
        at++;
      }
      commandsCut += at - 1;
    });
  },
);

it('shows no defect of the service', () => {
  expect(commandsCut).toBeGreaterThan(0);
  const errors = server.logLines().filter(({ level }) => Number(level) >= 50);
  const types = new Set(errors.map(({ err }) => (err as { type?: string } | undefined)?.type));
  const isOfDriver = (type = '') => type.startsWith('Mongo') || type === 'PoolClearedError';
  expect([...types].filter((type) => type !== 'Problem' && !isOfDriver(type))).toEqual([]);
});
