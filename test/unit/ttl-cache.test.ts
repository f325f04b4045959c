import { setTimeout as sleep } from 'node:timers/promises';
import { TtlCache } from '../../support/ttl-cache.ts';

/** A memory of a value that can be changed, and a count of the times that it was asked for. */
function memoryOf(value: string) {
  const memory = new TtlCache<{ value: string }>();
  const store = { value, asked: 0, fails: false };
  const gates: (() => void)[] = [];
  const ask = async () => {
    store.asked++;
    const { value, fails } = store;
    await new Promise<void>((resolve) => gates.push(resolve));
    if (fails) throw new Error('away');
    return { value };
  };
  const get = async (key = 'a') => (await memory.get(key, ask)).value;
  const answer = () => {
    for (const open of gates.splice(0)) open();
  };
  return { memory, store, get, answer };
}

it('many that ask for the same at once ask once, and others for themselves', async () => {
  const { store, get, answer } = memoryOf('old');
  const all = [get(), get(), get(), get('b')];
  answer();
  expect(await Promise.all(all)).toEqual(Array(4).fill('old'));
  expect(store.asked).toBe(2);
});

it('a change makes who comes after it ask anew, and the answer under way is not kept', async () => {
  const { memory, store, get, answer } = memoryOf('old');
  const before = get();
  store.value = 'new';
  memory.drop();
  const after = get();
  answer();
  expect([await before, await after, await get()]).toEqual(['old', 'new', 'new']);
  expect(store.asked).toBe(2);
});

it('nobody joins a question that has been open for long', async () => {
  const { store, get, answer } = memoryOf('old');
  const first = get();
  await sleep(120);
  store.value = 'new';
  const second = get();
  answer();
  expect([await first, await second, await get()]).toEqual(['old', 'new', 'new']);
});

it('a failure is told to all who asked, and is not kept', async () => {
  const { store, get, answer } = memoryOf('old');
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
