import { createRequire } from 'node:module';
import { join } from 'node:path';
import { register } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { interleave, median, medianRatio, requestsPerSecond } from '../load.ts';
import { printLine, reportFigure } from '../report.ts';
import {
  createIssue,
  DATABASE_NAME,
  productionEnvironment,
  startDatabase,
  startProgram,
  stopDatabase,
} from '../setup.ts';

const ROUNDS = 5;
const UNBATCHED = join(import.meta.dirname, '../unbatched.ts');

/** A point read through everything in one process, against the same by hand, on one database. */
export async function measurePointRead(): Promise<void> {
  const database = await startDatabase('point-read');
  const env = productionEnvironment(database.uri);
  const batches = hasBatching();
  const service = await startServer({ env });
  const unbatched = batches
    ? await startServer({ env: { ...env, NODE_OPTIONS: `--import=${UNBATCHED}` } })
    : service;
  const bare = await startProgram('bare.ts', [database.uri, DATABASE_NAME]);
  const owner = await register(service.url);
  const { issue } = await createIssue(owner);
  const headers = { authorization: `Bearer ${owner.token}` };
  const bareUrl = `http://127.0.0.1:${bare.line}${issue}`;
  const found = await interleave(ROUNDS, {
    ours: () => requestsPerSecond(service.url + issue, { headers }),
    bare: () => requestsPerSecond(bareUrl),
    unbatched: async () =>
      batches ? requestsPerSecond(unbatched.url + issue, { headers }) : Number.NaN,
    oursOfOne: () => requestsPerSecond(service.url + issue, { headers, clients: 1 }),
    bareOfOne: () => requestsPerSecond(bareUrl, { clients: 1 }),
  });
  const rate = (values: number[]) => `${Math.round(median(values))}/s`;
  printLine(
    `point read: 16 clients ${rate(found.ours)}, bare ${rate(found.bare)}; ` +
      `1 client ${rate(found.oursOfOne)}, bare ${rate(found.bareOfOne)}; the bare programme does not batch its reads`,
  );
  reportFigure(FIGURES.pointRead, medianRatio(found.ours, found.bare));
  reportFigure(FIGURES.pointReadOfOne, medianRatio(found.oursOfOne, found.bareOfOne));
  if (batches) reportFigure(FIGURES.pointReadUnbatched, medianRatio(found.unbatched, found.bare));
  else
    printLine(`${FIGURES.pointReadUnbatched.name}: reads are not batched, nothing to switch off`);
  bare.stop();
  await service.stop();
  if (batches) await unbatched.stop();
  await stopDatabase(database);
}

/** Whether the service has the package that batches reads by id. */
function hasBatching(): boolean {
  const manifest = createRequire(import.meta.url)('../../package.json') as {
    dependencies: Record<string, string>;
  };
  return 'dataloader' in manifest.dependencies;
}
