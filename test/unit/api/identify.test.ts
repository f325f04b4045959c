import type { Caller } from '../../../contract/caller.ts';
import { action } from '../../../contract/contract.ts';
import { Problem, RateLimited, Unauthenticated } from '../../../contract/problem.ts';
import { Callers } from '../../../services/api/identify.ts';

const contract = action({ summary: 'x', access: { who: 'person' }, result: null });
const ADA: Caller = { kind: 'person', userId: 1, name: 'Ada', sessionId: 's' };
const GOOD = 'good.token.x';
const query = { values: {}, faults: [] };

/** Callers who know one good token, and a client that may guess so often. */
function setUp(guesses = 100) {
  const asked: string[] = [];
  const state = { guesses, away: false };
  const ofToken = async (token: string) => {
    asked.push(token);
    await Promise.resolve();
    if (state.away) throw new Error('identity is away');
    return token === GOOD ? ADA : null;
  };
  const callers = new Callers({ ofToken, ofKey: async () => null });
  const guess = {
    admit: () => {
      if (state.guesses === 0) throw new Problem(RateLimited, 'too many');
      state.guesses--;
    },
    forget: () => void state.guesses++,
  };
  const show = (token: string) =>
    callers.identify(contract, { authorization: `Bearer ${token}` }, query, guess).then(
      (caller) => caller.kind,
      (error: Error) => (error instanceof Problem ? error.type : error.message),
    );
  return { callers, show, asked, state };
}

it('asks about a token once, and again when callers may have changed', async () => {
  const { show, asked, callers } = setUp();
  expect([await show(GOOD), await show(GOOD)]).toEqual(['person', 'person']);
  expect(asked).toEqual([GOOD]);
  callers.drop();
  await show(GOOD);
  expect(asked).toEqual([GOOD, GOOD]);
});

it('counts no guess for a good token, nor when nobody can be asked', async () => {
  const { show, state } = setUp(1);
  expect(await show(GOOD)).toBe('person');
  state.away = true;
  expect(await show('other.token.x')).toBe('identity is away');
  expect(state.guesses).toBe(1);
});

it('asks about no more made-up tokens than may be guessed, however many come at once', async () => {
  const { show, asked } = setUp(3);
  const found = await Promise.all([...'abcdefgh'].map((c) => show(`${c}.b.c`)));
  expect(found).toEqual([
    ...Array.from({ length: 3 }, () => Unauthenticated.code),
    ...Array.from({ length: 5 }, () => RateLimited.code),
  ]);
  expect(asked).toHaveLength(3);
});

it('still takes a token that was good before, when no guess is left', async () => {
  const { show, callers, state } = setUp(1);
  await show(GOOD);
  await show('a.b.c');
  callers.drop();
  expect(state.guesses).toBe(0);
  expect(await show(GOOD)).toBe('person');
});

it('asks once about a refused token that comes again, and counts it each time', async () => {
  const { show, asked, state } = setUp(5);
  expect([await show('a.b.c'), await show('a.b.c')]).toEqual([
    Unauthenticated.code,
    Unauthenticated.code,
  ]);
  expect(asked).toEqual(['a.b.c']);
  expect(state.guesses).toBe(3);
});

it.each(['x', 'a.b', 'a.b.c.d', 'a.b.!', '..'])(
  'asks nobody about %p, which is no token',
  async (token) => {
    const { show, asked } = setUp();
    expect(await show(token)).toBe(Unauthenticated.code);
    expect(asked).toEqual([]);
  },
);
