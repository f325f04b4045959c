import { setTimeout as sleep } from 'node:timers/promises';
import type { Role } from '../../../contract/access-rule.ts';
import { RoleCache } from '../../../middlewares/access/role-cache.ts';

const ADA = 1;
const BOB = 2;
const WORKSPACE = 7;

/** A cache over roles that can be changed, and a count of the times it asked. */
function cacheOver(role: Role | null, takesMs = 0) {
  const store = { role, asked: 0 };
  const cache = new RoleCache(async () => {
    store.asked++;
    const read = store.role;
    await sleep(takesMs);
    return read;
  });
  return { cache, store };
}

describe('the roles that a node remembers', () => {
  it('are asked for once a second at most, also for who has none', async () => {
    const { cache, store } = cacheOver(null);
    for (let n = 0; n < 5; n++) expect(await cache.roleOf(ADA, WORKSPACE)).toBeNull();
    expect(store.asked).toBe(1);
  });

  it('hold no longer than 1 s when nobody tells of a change, however slow the answer was', async () => {
    const { cache, store } = cacheOver('OWNER', 700);
    const first = cache.roleOf(ADA, WORKSPACE);
    await sleep(50);
    store.role = 'GUEST';
    expect(await first).toBe('OWNER');
    await sleep(400);
    expect(await cache.roleOf(ADA, WORKSPACE)).toBe('GUEST');
  });

  it('are forgotten at once for one, or for everybody in a workspace', async () => {
    const { cache, store } = cacheOver('MEMBER');
    for (const person of [ADA, BOB]) await cache.roleOf(person, WORKSPACE);
    store.role = 'GUEST';
    cache.drop(WORKSPACE, ADA);
    expect(await cache.roleOf(ADA, WORKSPACE)).toBe('GUEST');
    expect(await cache.roleOf(BOB, WORKSPACE)).toBe('MEMBER');
    cache.drop(WORKSPACE);
    expect(await cache.roleOf(BOB, WORKSPACE)).toBe('GUEST');
  });
});
