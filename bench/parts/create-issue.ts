import { register } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { interleave, median, medianRatio, requestsPerSecond } from '../load.ts';
import { DURABILITY, printLine, reportFigure } from '../report.ts';
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

/**
 * Compares the creation of an issue and its audit entry with inserts of the same documents by hand, and with an
 * insert of the issue alone, all with the same write concern.
 */
export async function measureCreateIssue(): Promise<void> {
  const database = await startDatabase('create-issue');
  const service = await startServer({ env: productionEnvironment(database.uri) });
  const issueAlone = await startProgram('bare.ts', [database.uri, DATABASE_NAME]);
  const issueAndEntry = await startProgram('bare.ts', [database.uri, DATABASE_NAME, 'audited']);
  const owner = await register(service.url);
  const { issues } = await createIssue(owner);
  const load = { body: NEW_ISSUE, status: 201 };
  const headers = { authorization: `Bearer ${owner.token}` };
  const urlOf = ({ line }: { line: string }) => `http://127.0.0.1:${line}${issues}`;
  const { ours, byHand, withoutEntry } = await interleave(ROUNDS, {
    ours: () => requestsPerSecond(service.url + issues, { ...load, headers }),
    byHand: () => requestsPerSecond(urlOf(issueAndEntry), load),
    withoutEntry: () => requestsPerSecond(urlOf(issueAlone), load),
  });
  printLine(
    `create an issue: ${Math.round(median(ours))}/s, by hand ${Math.round(median(byHand))}/s, ` +
      `by hand without the audit entry ${Math.round(median(withoutEntry))}/s; ` +
      `all sides the same ${DURABILITY}`,
  );
  reportFigure(FIGURES.createIssue, medianRatio(ours, byHand));
  printLine(
    `beside an insert without an audit entry: ${medianRatio(ours, withoutEntry).toFixed(2)}`,
  );
  for (const program of [issueAlone, issueAndEntry]) program.stop();
  await service.stop();
  await stopDatabase(database);
}
