import {
  LARGE_WRITE_BYTES,
  writeInTurn,
} from '../../../services/runs/engine/writes/large-writes.ts';
import type { Share } from '../../../support/fair-shares/share.ts';

const LARGE = LARGE_WRITE_BYTES + 1;
const shareOf = (owner: string): Share => ({ owner, tenant: `workspace-of-${owner}` }) as Share;

afterEach(() => jest.useRealTimers());

/** Writes that end when they are told to, and the names of those that have begun. */
function writes() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const write = (owner: string, name: string, bytes = LARGE): Promise<string> =>
    writeInTurn(shareOf(owner), bytes, () => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, () => resolve(name)));
    });
  return { begun, write, end: (name: string) => ends.get(name)?.() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('two large writes are under way at once, and the next is that of another owner', async () => {
  const { begun, write, end } = writes();
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => write('a', name));
  all.push(write('b', 'b1'));
  await settled();
  expect(begun).toEqual(['a1', 'a2']);
  end('a1');
  await settled();
  end('a2');
  await settled();
  expect(begun.slice(0, 4)).toContain('b1');
  for (const name of ['b1', 'a3', 'a4']) {
    end(name);
    await settled();
  }
  end('a4');
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
});

test('a small write waits for no large one', async () => {
  const { begun, write, end } = writes();
  const large = ['a1', 'a2', 'a3'].map((name) => write('a', name));
  const small = write('a', 'small', LARGE_WRITE_BYTES);
  expect(begun).toContain('small');
  end('small');
  await expect(small).resolves.toBe('small');
  for (const name of ['a1', 'a2', 'a3']) {
    await settled();
    end(name);
  }
  await Promise.all(large);
});

test('a write that fails rejects for its writer alone, and gives its turn to the next', async () => {
  const failure = new Error('refused');
  const failing = writeInTurn(shareOf('a'), LARGE, () => Promise.reject(failure));
  await expect(failing).rejects.toBe(failure);
  const next = [1, 2, 3].map((n) => writeInTurn(shareOf('a'), LARGE, async () => n));
  expect(await Promise.all(next)).toEqual([1, 2, 3]);
});

test('a write that does not end keeps its turn for a few seconds, and its own outcome', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const { begun, write, end } = writes();
  const hung = [write('a', 'a1'), write('a', 'a2')];
  const next = write('b', 'b1');
  await settled();
  expect(begun).toEqual(['a1', 'a2']);
  await jest.advanceTimersByTimeAsync(5_000);
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  for (const name of begun) end(name);
  expect(await Promise.all([...hung, next])).toEqual(['a1', 'a2', 'b1']);
});
