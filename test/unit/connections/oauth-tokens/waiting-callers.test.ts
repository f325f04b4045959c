import type { TokenResult } from '../../../../services/connections/oauth-tokens/access-token.ts';
import {
  type TokenSearch,
  WaitingCallers,
} from '../../../../services/connections/oauth-tokens/waiting-callers.ts';

const MAX_CALLERS = 10_000;
const MAX_PER_OWNER = 2_500;
const RESULT: TokenResult = { ok: true, value: 'token', tokenId: 'id' };
const search = (): TokenSearch => ({ result: Promise.resolve(RESULT), callers: 1, owner: null });

/** Joins a number of callers to a search. Returns how many were not refused. */
async function join(callers: WaitingCallers, one: TokenSearch, count: number): Promise<number> {
  let joined = 0;
  for (let n = 0; n < count; n++) if ((await callers.join(one)).ok) joined++;
  return joined;
}

test('callers of one owner are refused beyond the limit, and those of another owner are not', async () => {
  const callers = new WaitingCallers();
  const [mine, alsoMine, other] = [search(), search(), search()];
  expect(callers.begin(mine, 'person:1')).toBeNull();
  expect(await join(callers, mine, MAX_PER_OWNER)).toBe(MAX_PER_OWNER - 1);
  expect(callers.begin(alsoMine, 'person:1')).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  expect(callers.begin(other, 'person:2')).toBeNull();
  expect(await join(callers, other, 10)).toBe(10);
  callers.end(mine);
  expect(callers.begin(search(), 'person:1')).toBeNull();
});

test('callers of all owners together are refused beyond the limit', async () => {
  const callers = new WaitingCallers();
  let joined = 0;
  for (let owner = 0; owner < 5; owner++) {
    const one = search();
    if (callers.begin(one, `person:${owner}`)) break;
    joined += 1 + (await join(callers, one, MAX_PER_OWNER));
  }
  expect(joined).toBe(MAX_CALLERS);
});

test('callers that joined a search before it has to wait are counted with it', async () => {
  const callers = new WaitingCallers();
  const late = search();
  expect(await join(callers, late, MAX_PER_OWNER)).toBe(MAX_PER_OWNER);
  expect(callers.begin(late, 'person:1')).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  callers.end(late); // was never counted
  const next = search();
  expect(callers.begin(next, 'person:1')).toBeNull();
  expect(callers.begin(next, 'person:1')).toBeNull(); // counted once
  expect(await join(callers, next, MAX_PER_OWNER)).toBe(MAX_PER_OWNER - 1);
});
