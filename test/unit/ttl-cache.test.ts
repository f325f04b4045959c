import { setTimeout as sleep } from 'node:timers/promises';
import { TtlCache } from '../../support/ttl-cache.ts';

/** Makes a cache of a value that can be changed, and counts the loads of the value. */
function cacheOf(value: string) {
  const cache = new TtlCache<{ value: string }>();
  const store = { value, asked: 0, fails: false };
  const gates: (() => void)[] = [];
  const ask = async () => {
    store.asked++;
    const { value, fails } = store;
    await new Promise<void>((resolve) => gates.push(resolve));
    if (fails) throw new Error('away');
    return { value };
  };
  const get = async (key = 'a') => (await cache.get(key, ask)).value;
  const answer = () => {
    for (const open of gates.splice(0)) open();
  };
  return { cache, store, get, answer };
}

it('concurrent callers of one key share a load, and callers of another key do not', async () => {
  const { store, get, answer } = cacheOf('old');
  const all = [get(), get(), get(), get('b')];
  answer();
  expect(await Promise.all(all)).toEqual(Array(4).fill('old'));
  expect(store.asked).toBe(2);
});

it('after a drop the next caller loads again, and the load in flight is not cached', async () => {
  const { cache, store, get, answer } = cacheOf('old');
  const before = get();
  store.value = 'new';
  cache.drop();
  const after = get();
  answer();
  expect([await before, await after, await get()]).toEqual(['old', 'new', 'new']);
  expect(store.asked).toBe(2);
});

it('no caller joins a load that has been in flight for long', async () => {
  const { store, get, answer } = cacheOf('old');
  const first = get();
  await sleep(120);
  store.value = 'new';
  const second = get();
  answer();
  expect([await first, await second, await get()]).toEqual(['old', 'new', 'new']);
});

it('a failure reaches all callers of the load, and is not cached', async () => {
  const { store, get, answer } = cacheOf('old');
  store.fails = true;
  const all = [get(), get()];
  answer();
  const outcomes = await Promise.allSettled(all);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  store.fails = false;
  const next = get();
  answer();
  expect(await next).toBe('old');
});
