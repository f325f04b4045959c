import { createRequire } from 'node:module';
import { join } from 'node:path';
import { register } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { interleave, median, medianRatio, requestsPerSecond } from '../load.ts';
import { printLine, reportFigure } from '../report.ts';
import {
  createIssue,
  createIssues,
  DATABASE_NAME,
  productionEnvironment,
  startDatabase,
  startProgram,
  stopDatabase,
} from '../setup.ts';

const ROUNDS = 4;
const BATCH_LIMIT = join(import.meta.dirname, '../batch-limit.ts');

/**
 * Compares a point read through everything in one process with the same read by hand, on one database. All
 * clients read one issue, or each client reads issues that no other client reads.
 */
export async function measurePointRead(): Promise<void> {
  const database = await startDatabase('point-read');
  const env = productionEnvironment(database.uri);
  const batches = hasBatching();
  const service = await startServer({ env });
  const limitedService = batches
    ? await startServer({ env: { ...env, NODE_OPTIONS: `--import=${BATCH_LIMIT}` } })
    : service;
  const bare = await startProgram('bare.ts', [database.uri, DATABASE_NAME]);
  const owner = await register(service.url);
  const { issues, issue } = await createIssue(owner);
  const paths = await createIssues(owner, issues);
  const headers = { authorization: `Bearer ${owner.token}` };
  const bareUrl = `http://127.0.0.1:${bare.line}`;
  const found = await interleave(ROUNDS, {
    ours: () => requestsPerSecond(service.url + issue, { headers }),
    bare: () => requestsPerSecond(bareUrl + issue),
    withoutBatches: async () =>
      batches ? requestsPerSecond(limitedService.url + issue, { headers }) : Number.NaN,
    oursOfMany: () => requestsPerSecond(service.url, { headers, paths }),
    bareOfMany: () => requestsPerSecond(bareUrl, { paths }),
    oursByOne: () => requestsPerSecond(service.url + issue, { headers, clients: 1 }),
    bareByOne: () => requestsPerSecond(bareUrl + issue, { clients: 1 }),
  });
  const rate = (values: number[]) => `${Math.round(median(values))}/s`;
  printLine(
    `point read: 16 clients ${rate(found.ours)}, bare ${rate(found.bare)}; ` +
      `of ${paths.length} issues ${rate(found.oursOfMany)}, bare ${rate(found.bareOfMany)}; ` +
      `1 client ${rate(found.oursByOne)}, bare ${rate(found.bareByOne)}; the bare programme does not batch its reads`,
  );
  reportFigure(FIGURES.pointRead, medianRatio(found.ours, found.bare));
  reportFigure(FIGURES.pointReadByOne, medianRatio(found.oursByOne, found.bareByOne));
  if (batches)
    reportFigure(FIGURES.pointReadWithoutBatches, medianRatio(found.withoutBatches, found.bare));
  else
    printLine(
      `${FIGURES.pointReadWithoutBatches.name}: reads are not batched, nothing to switch off`,
    );
  reportFigure(FIGURES.pointReadOfMany, medianRatio(found.oursOfMany, found.bareOfMany));
  bare.stop();
  await service.stop();
  if (batches) await limitedService.stop();
  await stopDatabase(database);
}

/** Whether the service has the package that batches reads by id. */
function hasBatching(): boolean {
  const manifest = createRequire(import.meta.url)('../../package.json') as {
    dependencies: Record<string, string>;
  };
  return 'dataloader' in manifest.dependencies;
}
