import { e2e } from '../../fixtures/e2e.ts';
import { request } from '../../helpers/http.ts';
import type { Sample } from '../operation-samples.ts';
import { type Operation, operations } from '../permissions-matrix.ts';
import { makeWorld, sampleEnvironment, type World } from '../sample-world.ts';
import { sampleOf } from '../send-sample.ts';
import { type MatrixCaller, makeCallers, makeSigningKey } from './callers.ts';
import {
  anonymized,
  type Cell,
  cellsOf,
  makeSharedSamples,
  type RuledCell,
  ruledCellsOf,
  type SharedSamples,
  sendAs,
} from './cells.ts';
import { awaitHandOvers, digestDatabase } from './database-digest.ts';
import type { Target } from './expected-answer.ts';

/** The least number of cells; fewer mean that the generator lost some. */
const LEAST_CELLS = 5000;
/** Wrong answers that a failure shows; it leaves out the others. */
const SHOWN = 20;
/** Requests that are under way at the same time. */
const BATCH = 16;
/** Requests that succeed at the same time. Samples register persons, and few passwords are hashed at once. */
const ALLOWED_BATCH = 6;

/** Operations whose success takes from the caller what the later cells need: each is sent in the last place. */
const LAST = ['identity.changePassword', 'identity.updateUser', 'identity.removeUser'];

/** Operations that members of the workspace have no use for: 409 says that the access check let them pass. */
const MAY_CONFLICT = ['workspaces.acceptInvitationByToken'];

/** The targets of other workspaces, whose 404 is the same as that of a target which does not exist. */
const MISSING_AS: Partial<Record<Target, Target>> = {
  other: 'unknown',
  'foreign-part': 'missing-part',
};

let home: World;
let away: World;
let callers: MatrixCaller[];
const shared = new Map<Operation, SharedSamples>();
let cells: Cell[];
let ruled: RuledCell[];

const { env, jwk } = makeSigningKey();
const limits = { RATE_LIMIT: 'off', SIGN_IN_LIMIT: 'off', WORKSPACES_PER_PERSON: 'off' };
const { server, database } = e2e({
  database: true,
  env: async () => ({ ...env, ...limits, ...(await sampleEnvironment()) }),
});
beforeAll(async () => {
  const { url } = server;
  [home, away] = await Promise.all([makeWorld(url), makeWorld(url)]);
  callers = await makeCallers(home, away, jwk);
  for (const operation of operations) {
    shared.set(operation, await makeSharedSamples(operation, home, away));
  }
  cells = [...shared].flatMap(([operation, samples]) => cellsOf(operation, callers, samples));
  ruled = [...shared].flatMap(([operation, samples]) =>
    ruledCellsOf(operation, callers, samples.get('own') ?? {}, home.owner.email),
  );
}, 300_000);

/** Calls `work` for each item, a batch of them at the same time. */
async function inBatches<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  size = BATCH,
): Promise<void> {
  for (let i = 0; i < items.length; i += size) {
    await Promise.all(items.slice(i, i + size).map(work));
  }
}

const nameOf = ({ operation, caller, target }: Cell): string =>
  `${operation.method} ${operation.path}, ${target}, ${caller.name}`;

function sampleFor(cell: Cell | RuledCell) {
  if ('sample' in cell) return cell.sample;
  const { operation, target } = cell;
  const sample = shared.get(operation)?.get(target);
  if (!sample) throw new Error(`${operation.name} has no sample for ${target}`);
  return sample;
}

test('has every kind of cell', () => {
  const count = cells.length + ruled.length;
  process.stdout.write(
    `${count} cells: ${operations.length} operations, ${callers.length} callers\n`,
  );
  expect(count).toBeGreaterThanOrEqual(LEAST_CELLS);
});

/** Public operations read no token, but one that names a caller who need not be named. */
const readsInvalid = ({ operation: { contract }, caller }: Cell): boolean =>
  'optionalToken' in contract.access && caller.traits.kind === 'invalid-token';

test('refuses what its row does not open, and changes nothing', async () => {
  const refused = [...ruled, ...cells].filter(({ expected }) => expected !== 'success');
  const answers = new Map<string, string>();
  const wrong: string[] = [];
  await awaitHandOvers(database.uri);
  const before = await digestDatabase(database.uri);
  await inBatches(refused, async (cell) => {
    const answer = await sendAs(server.url, cell.operation, sampleFor(cell), cell.caller);
    answers.set(nameOf(cell), anonymized(answer));
    if (answer.status !== cell.expected || answer.body?.status !== cell.expected) {
      wrong.push(`${nameOf(cell)}: ${answer.status} in place of ${cell.expected}: ${answer.text}`);
    }
  });
  expect(wrong.slice(0, SHOWN)).toEqual([]);
  expect(await digestDatabase(database.uri)).toEqual(before);

  const distinct = refused.flatMap((cell) => {
    const missing = cell.expected === 404 ? MISSING_AS[cell.target] : undefined;
    const answerToMissing = missing && answers.get(nameOf({ ...cell, target: missing }));
    const answer = answers.get(nameOf(cell));
    if (!answerToMissing || answer === answerToMissing) return [];
    return [`${nameOf(cell)}: ${answer}`];
  });
  expect(distinct.slice(0, SHOWN)).toEqual([]);
}, 300_000);

/** Checks that a request succeeds, or gets the answer of a repetition where callers share its sample. */
async function assertAllowed(cell: Cell, wrong: string[]): Promise<void> {
  const { operation, target, caller } = cell;
  const used = sampleFor(cell);
  const isUsedUp = used.repeated?.some((status) => [403, 404, 409].includes(status)) ?? false;
  const isFresh =
    isUsedUp && operation.contract.access.who !== 'public' && !LAST.includes(operation.name);
  const fresh = () => sampleOf(operation, target === 'other' ? away : home);
  const removesWorkspace = operation.name === 'workspaces.remove';
  const sample = removesWorkspace ? await ownWorkspaceOf(caller) : isFresh ? await fresh() : used;
  const { status, text } = await sendAs(server.url, operation, sample, caller);
  const others = operation.contract.access.who === 'public' ? [400, ...(used.repeated ?? [])] : [];
  if (status < 300 || others.includes(status) || (!isFresh && used.repeated?.includes(status)))
    return;
  if (readsInvalid(cell) && status === 401) return;
  if (MAY_CONFLICT.includes(operation.name) && status === 409) return;
  wrong.push(`${nameOf(cell)}: ${status} in place of success: ${text}`);
}

/** A workspace of the caller's own, because nobody else's may be removed while other cells need it. */
async function ownWorkspaceOf({ token }: MatrixCaller): Promise<Sample> {
  const options = { query: { name: 'To be removed' }, ...(token ? { token } : {}) };
  const { body } = await request<{ id: number }>(server.url, 'POST', '/workspaces', options);
  return { path: { id: body.id } };
}

test('opens what its row opens', async () => {
  const wrong: string[] = [];
  const allowed = cells.filter(({ expected }) => expected === 'success');
  const isLast = ({ operation: { name } }: Cell) => LAST.includes(name);
  await inBatches(
    allowed.filter((cell) => !isLast(cell)),
    (cell) => assertAllowed(cell, wrong),
    ALLOWED_BATCH,
  );
  for (const cell of allowed.filter(isLast)) await assertAllowed(cell, wrong);
  expect(wrong.slice(0, SHOWN)).toEqual([]);
}, 300_000);
