import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GroupCommit } from '../../../services/runs/engine/writes/group-commit.ts';

interface Write {
  name: string;
  bytes?: number;
}
const writesOf = (count: number, bytes = 1): Write[] =>
  Array.from({ length: count }, (_, n) => ({ name: String(n), bytes }));

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate', 'nextTick'] }));
afterEach(() => jest.useRealTimers());

const KIB = 1024;
const NO_SERVER = new Error('no server');

/** A group whose commands wait until they are answered; each write's result is its name. */
function group() {
  const commands: { names: string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const commit = new GroupCommit<Write, string>({
    bytesOf: ({ bytes = 1 }) => bytes,
    rejectsQueue: (error) => error === NO_SERVER,
    send: (writes) => {
      const { promise, resolve, reject } = Promise.withResolvers<PromiseSettledResult<string>[]>();
      const names = writes.map(({ name }) => name);
      const results = names.map((value) => ({ status: 'fulfilled', value }) as const);
      commands.push({ names, answer: () => resolve(results), fail: reject });
      return promise;
    },
  });
  const sizes = () => commands.map(({ names }) => names.length);
  return { commit, commands, sizes };
}

/** Answers commands until there are no more. */
async function answerAll({ commands }: ReturnType<typeof group>): Promise<void> {
  for (let answered = 0; answered < commands.length; ) {
    commands[answered++]?.answer();
    await nextTurn();
    await nextTurn();
  }
}

test('a write that comes alone is sent after this turn of the event loop', async () => {
  const { commit, sizes, commands } = group();
  const written = commit.add({ name: 'a' });
  await nextTurn();
  expect(sizes()).toEqual([1]);
  commands[0]?.answer();
  await expect(written).resolves.toBe('a');
});

test('writes that come while a command is in flight go together in the next, in order', async () => {
  const all = group();
  const { commit, sizes, commands } = all;
  const written: Promise<string>[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    written.push(commit.add({ name }));
    await nextTurn();
  }
  expect(sizes()).toEqual([1]);
  commands[0]?.answer();
  await nextTurn();
  await nextTurn();
  expect(commands.map(({ names }) => names)).toEqual([['a'], ['b', 'c', 'd', 'e']]);
  await answerAll(all);
  expect(await Promise.all(written)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a command has at most 100 writes, and each gets its own outcome', async () => {
  const all = group();
  const written = writesOf(250).map((write) => all.commit.add(write));
  await nextTurn();
  expect(all.sizes()).toEqual([100]);
  await answerAll(all);
  expect(all.sizes()).toEqual([100, 100, 50]);
  expect(await Promise.all(written)).toEqual(writesOf(250).map(({ name }) => name));
});

test('a command has at most 1 MiB', async () => {
  const all = group();
  const written = writesOf(40, 60 * KIB).map((write) => all.commit.add(write));
  await nextTurn();
  await answerAll(all);
  expect(all.sizes()).toEqual([17, 17, 6]);
  await Promise.all(written);
});

test('a large write is sent alone at once, and nobody waits for it', async () => {
  const { commit, commands } = group();
  for (const name of ['large', 'larger', 'largest']) void commit.add({ name, bytes: 65 * KIB });
  expect(commands.map(({ names }) => names)).toEqual([['large'], ['larger'], ['largest']]);
  const small = commit.add({ name: 'small' });
  await nextTurn();
  commands[3]?.answer();
  await expect(small).resolves.toBe('small');
});

test('a command that fails rejects its own writes, and the next are sent', async () => {
  const { commit, commands } = group();
  const first = [commit.add({ name: 'a' }), commit.add({ name: 'b' })];
  await nextTurn();
  commands[0]?.fail(new Error('away'));
  for (const write of first) await expect(write).rejects.toThrow('away');
  const next = commit.add({ name: 'c' });
  await nextTurn();
  commands[1]?.answer();
  await expect(next).resolves.toBe('c');
});

test('a send that throws at once is not in flight for ever', async () => {
  const commit = new GroupCommit<Write, void>({
    bytesOf: () => 1,
    send: () => {
      throw new Error('a bug');
    },
  });
  for (let n = 0; n < 5; n++) await expect(commit.add({ name: 'a' })).rejects.toThrow('a bug');
});

test('outcomes are told apart, and a write without an outcome is rejected', async () => {
  const commit = new GroupCommit<Write, string>({
    bytesOf: () => 1,
    send: async () => [
      { status: 'rejected', reason: new Error('refused') },
      { status: 'fulfilled', value: 'done' },
    ],
  });
  const outcomes = await Promise.allSettled(writesOf(3).map((write) => commit.add(write)));
  expect(
    outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : `${outcome.reason}`,
    ),
  ).toEqual(['Error: refused', 'done', 'Error: a write of a batch has no outcome']);
});

test('a batch is sent in the context of its first write, not in that of the batch before', async () => {
  const context = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const commit = new GroupCommit<Write, void>({
    bytesOf: () => 1,
    send: async (writes) => {
      seen.push(context.getStore());
      await nextTurn();
      await nextTurn();
      return writes.map(() => ({ status: 'fulfilled', value: undefined }));
    },
  });
  const written: Promise<void>[] = [];
  for (const name of ['a', 'b', 'c']) {
    written.push(context.run(name, () => commit.add({ name })));
    await nextTurn();
  }
  await Promise.all(written);
  expect(seen).toEqual(['a', 'b']); // the second and the third write share a command
});

/** Writes one after another, each as soon as the command before is in flight for 5 ms. */
async function pipeline({ commit }: ReturnType<typeof group>, names: readonly string[]) {
  const written: Promise<string>[] = [];
  for (const name of names) {
    written.push(commit.add({ name }));
    await nextTurn();
    jest.advanceTimersByTime(5);
    await nextTurn();
  }
  return written;
}

describe('a command in flight', () => {
  test('has another beside it after 5 ms, for the writes that came meanwhile', async () => {
    const all = group();
    const written = writesOf(1).map((write) => all.commit.add(write));
    await nextTurn();
    for (const name of ['a', 'b']) written.push(all.commit.add({ name }));
    jest.advanceTimersByTime(4);
    await nextTurn();
    expect(all.sizes()).toEqual([1]);
    jest.advanceTimersByTime(1);
    await nextTurn();
    expect(all.sizes()).toEqual([1, 2]);
    await answerAll(all);
    expect(await Promise.all(written)).toEqual(['0', 'a', 'b']);
  });

  test('has another beside it at once where it is in flight for longer', async () => {
    const all = group();
    await pipeline(all, ['a']);
    void all.commit.add({ name: 'b' });
    await nextTurn();
    expect(all.sizes()).toEqual([1, 1]);
  });

  test('is alone for its own 5 ms, whatever becomes of the commands before', async () => {
    const all = group();
    await pipeline(all, ['a']);
    for (const name of ['b', 'c']) {
      void all.commit.add({ name });
      await nextTurn();
    }
    all.commands[0]?.answer();
    await nextTurn();
    await nextTurn();
    expect(all.sizes()).toEqual([1, 1]);
    jest.advanceTimersByTime(5);
    await nextTurn();
    expect(all.sizes()).toEqual([1, 1, 1]);
  });

  test('has three beside it at most, and the next after an answer of any', async () => {
    const all = group();
    await pipeline(all, ['a', 'b', 'c', 'd', 'e', 'f']);
    expect(all.sizes()).toEqual([1, 1, 1, 1]);
    all.commands[2]?.answer();
    await nextTurn();
    await nextTurn();
    expect(all.sizes()).toEqual([1, 1, 1, 1, 2]);
  });

  test('leaves no timer behind', async () => {
    const all = group();
    await pipeline(all, ['a', 'b', 'c', 'd']);
    void all.commit.add({ name: 'e' });
    await answerAll(all);
    expect([all.sizes(), jest.getTimerCount()]).toEqual([[1, 1, 1, 1, 1], 0]);
  });
});

describe('a command without an answer', () => {
  /** Four commands are in flight, begun 5 ms apart, and one write waits for them. */
  async function occupied() {
    const all = group();
    const written = await pipeline(all, ['a', 'b', 'c', 'd', 'e']);
    expect(all.sizes()).toEqual([1, 1, 1, 1]);
    return { ...all, written };
  }
  /** Milliseconds since the first of them began. */
  const BEGUN = 25;

  test('lets others pass after 5 s, and keeps its own outcome', async () => {
    const { commit, commands, sizes, written } = await occupied();
    jest.advanceTimersByTime(4_999 - BEGUN);
    await nextTurn();
    expect(sizes()).toEqual([1, 1, 1, 1]);
    jest.advanceTimersByTime(1);
    await nextTurn();
    expect(sizes()).toEqual([1, 1, 1, 1, 1]);
    for (const at of [4, 0, 1, 2, 3]) commands[at]?.answer();
    expect(await Promise.all(written)).toEqual(['a', 'b', 'c', 'd', 'e']);
    // The late answer has made no room once more.
    await pipeline({ commit, commands, sizes }, ['f', 'g', 'h', 'i', 'j']);
    expect(sizes()).toHaveLength(9);
  });

  test('is timed by itself: the time of one that was answered does not count', async () => {
    const { commit, commands, sizes } = await occupied();
    jest.advanceTimersByTime(4_000 - BEGUN);
    commands[0]?.answer();
    await nextTurn();
    await nextTurn();
    expect([sizes(), jest.getTimerCount()]).toEqual([[1, 1, 1, 1, 1], 4]);
    void commit.add({ name: 'f' });
    jest.advanceTimersByTime(1_004); // 5 s and 4 ms since the first command began, the second one's last
    await nextTurn();
    expect(sizes()).toEqual([1, 1, 1, 1, 1]);
    jest.advanceTimersByTime(1);
    await nextTurn();
    expect(sizes()).toEqual([1, 1, 1, 1, 1, 1]);
  });
});

test('writes that wait behind a command which found no server do not wait for one as well', async () => {
  const { commit, commands, sizes } = group();
  const written = writesOf(350).map((write) => commit.add(write));
  const outcomes = Promise.allSettled(written);
  await nextTurn();
  jest.advanceTimersByTime(5);
  await nextTurn();
  commands[0]?.fail(NO_SERVER);
  commands[1]?.fail(new Error('cut'));
  const reasons = (await outcomes).map((outcome) => 'reason' in outcome && outcome.reason.message);
  expect(sizes()).toEqual([100, 100]);
  expect(Object.entries(Object.groupBy(reasons, String)).map(([k, v]) => [k, v?.length])).toEqual([
    ['no server', 250],
    ['cut', 100],
  ]);
  const next = commit.add({ name: 'later' });
  await nextTurn();
  commands[2]?.answer();
  await expect(next).resolves.toBe('later');
});
