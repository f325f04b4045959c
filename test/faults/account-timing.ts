/**
 * Whether the time of an answer tells that an address has an account: `node test/faults/account-timing.ts
 * [--tries 500] [--seed 1]`. A sign-in with a wrong password, and a request for a new password, are timed for
 * addresses of accounts, unknown addresses, directory entries without a password and deleted accounts: one of each
 * kind a round, in an order drawn by the seed. Each kind is compared with the accounts by a two-sided Wilcoxon
 * signed-rank test of the rounds, all comparisons together at 1 % (Bonferroni).
 *
 * Last, the same test compares sign-ins of accounts with themselves, one of two held back by `CONTROL_MS`: when it does
 * not tell these apart, the machine is too noisy for the result to count.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { request } from '../helpers/http.ts';
import { PASSWORD, type Person, registerVerified } from '../helpers/people.ts';
import { startServer, stopServers, type TestServer } from '../helpers/server.ts';
import { randomOf } from './random.ts';
import { medianOf, signedRank } from './signed-rank.ts';

const { values } = parseArgs({
  options: {
    tries: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [tries, seed] = [Number(values.tries), Number(values.seed)];

/** The probability of calling equal kinds different, over all comparisons of a run. */
const LEVEL = 0.01;
/** Addresses of each kind. Requests take them in turn. */
const ADDRESSES = 10;
/** Rounds before those that count. */
const WARM_UP = 20;
/** Milliseconds by which one side of the control is held back. */
const CONTROL_MS = 2;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const random = randomOf(seed);
say(`seed ${seed}, ${tries} tries of each kind`);

type Kind = 'account' | 'unknown' | 'directory entry' | 'deleted account';
type Addresses = Partial<Record<Kind, string[]>>;

const server = await startServer({ env: { LOG_LEVEL: 'error' } });
let failed = 0;
try {
  const addresses = await makeAddresses(server);
  const wrong = (email: string) =>
    timeOf('/auth/sign-in', { email, password: `${PASSWORD}!` }, 401);
  const forgot = (email: string) => timeOf('/auth/password/forgot', { email }, 202);
  await compareKinds('sign-in', addresses, wrong);
  await compareKinds('forgotten password', addresses, forgot);
  await assertSensitive(addresses.account ?? [], wrong);
} finally {
  await stopServers();
}
say(failed ? `${failed} kinds can be told apart` : 'no kind can be told apart');
process.exitCode = failed ? 1 : 0;

async function makeAddresses({ url }: TestServer): Promise<Addresses> {
  const addressOf = (n: number) => `somebody.${Math.floor(random() * 2 ** 40)}${n}@example.com`;
  const every = async <T>(make: (n: number) => Promise<T>): Promise<T[]> => {
    const made: T[] = [];
    for (let n = 0; n < ADDRESSES; n++) made.push(await make(n));
    return made;
  };
  const owner = await registerVerified(url);
  const accounts = await every(() => registerVerified(url, 'Somebody'));
  const deleted = await every(() => registerVerified(url, 'Somebody'));
  for (const person of deleted) await deleteAccount(person);
  const entries = await every(async (n) => {
    const body = { email: addressOf(n), firstName: 'Ada', lastName: 'Lovelace' };
    const { status } = await owner.call('POST', '/users', { body });
    if (status !== 201) throw new Error(`a directory entry answered ${status}`);
    return body.email;
  });
  return {
    account: accounts.map(({ email }) => email),
    unknown: await every(async (n) => addressOf(n)),
    'directory entry': entries,
    'deleted account': deleted.map(({ email }) => email),
  };
}

async function deleteAccount(person: Person): Promise<void> {
  const { status } = await person.call('DELETE', `/users/${person.id}`);
  if (status >= 300) throw new Error(`the deletion of an account answered ${status}`);
}

/** Milliseconds from the request to its answer. */
async function timeOf(path: string, body: object, expected: number): Promise<number> {
  const start = performance.now();
  const { status } = await request(server.url, 'POST', path, { body });
  const took = performance.now() - start;
  if (status !== expected) throw new Error(`${path} answered ${status}`);
  return took;
}

type Time = (email: string) => Promise<number>;

/** The times of each kind, by round. */
async function timeRounds(addresses: Addresses, time: Time): Promise<Map<Kind, number[]>> {
  const kinds = Object.keys(addresses) as Kind[];
  const times = new Map(kinds.map((kind): [Kind, number[]] => [kind, []]));
  for (let round = -WARM_UP; round < tries; round++) {
    for (const kind of shuffle(kinds)) {
      const email = addresses[kind]?.at(round % ADDRESSES) ?? '';
      const took = await time(email);
      if (round >= 0) times.get(kind)?.push(took);
    }
  }
  return times;
}

function shuffle<T>(items: readonly T[]): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

async function compareKinds(what: string, addresses: Addresses, time: Time): Promise<void> {
  const times = await timeRounds(addresses, time);
  const accounts = times.get('account') ?? [];
  say(`${what}: ${medianOf(accounts).toFixed(2)} ms for accounts`);
  const others = [...times].filter(([kind]) => kind !== 'account');
  for (const [kind, took] of others) {
    const result = compare(took, accounts);
    const isTold = result.p < LEVEL / (2 * others.length); // two operations are compared
    if (isTold) failed++;
    say(`  ${kind}: ${result.line}${isTold ? ' TOLD APART' : ''}`);
  }
}

function compare(some: readonly number[], others: readonly number[]): { p: number; line: string } {
  const pairs = some.map((took, round): [number, number] => [took, others[round] ?? 0]);
  const { p, z, medianDifference } = signedRank(pairs);
  const numbers = `difference ${medianDifference.toFixed(3)} ms, z ${z.toFixed(2)}, p ${p.toFixed(4)}`;
  return { p, line: numbers };
}

/** Throws when the test does not find a difference of `CONTROL_MS`. */
async function assertSensitive(emails: readonly string[], time: Time): Promise<void> {
  const held: Time = async (email) => {
    const start = performance.now();
    await time(email);
    await sleep(CONTROL_MS);
    return performance.now() - start;
  };
  const [plain, late]: [number[], number[]] = [[], []];
  for (let round = 0; round < tries; round++) {
    const email = emails[round % emails.length] ?? '';
    for (const side of shuffle([plain, late])) {
      side.push(await (side === late ? held : time)(email));
    }
  }
  const { p, line } = compare(late, plain);
  say(`control, ${CONTROL_MS} ms: ${line}`);
  if (p >= LEVEL) throw new Error(`a difference of ${CONTROL_MS} ms is not found: too much noise`);
}
