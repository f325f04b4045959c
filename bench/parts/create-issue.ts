import { register } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { interleave, median, medianRatio, requestsPerSecond } from '../load.ts';
import { EMBEDDED_DURABILITY, printLine, reportFigure } from '../report.ts';
import {
  createIssue,
  DATABASE_NAME,
  NEW_ISSUE,
  productionEnvironment,
  startDatabase,
  startProgram,
  stopDatabase,
} from '../setup.ts';

const ROUNDS = 5;

/** Compares the creation of an issue with an insert of the same document by hand, with the same write concern. */
export async function measureCreateIssue(): Promise<void> {
  const database = await startDatabase('create-issue');
  const service = await startServer({ env: productionEnvironment(database.uri) });
  const bare = await startProgram('bare.ts', [database.uri, DATABASE_NAME]);
  const owner = await register(service.url);
  const { issues } = await createIssue(owner);
  const load = { body: NEW_ISSUE, status: 201 };
  const headers = { authorization: `Bearer ${owner.token}` };
  const { ours, byHand } = await interleave(ROUNDS, {
    ours: () => requestsPerSecond(service.url + issues, { ...load, headers }),
    byHand: () => requestsPerSecond(`http://127.0.0.1:${bare.line}${issues}`, load),
  });
  printLine(
    `create an issue: ${Math.round(median(ours))}/s, by hand ${Math.round(median(byHand))}/s; ` +
      `both sides the same ${EMBEDDED_DURABILITY}`,
  );
  reportFigure(FIGURES.createIssue, medianRatio(ours, byHand));
  bare.stop();
  await service.stop();
  await stopDatabase(database);
}
