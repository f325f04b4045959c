import type { Caller } from '../../../../contract/caller.ts';
import { action } from '../../../../contract/contract.ts';
import { Problem } from '../../../../contract/problem.ts';
import { BodyMemory } from '../../../../mixins/gateway/limits/body-memory.ts';

const MIB = 1024 * 1024;
const contract = action({
  summary: 'x',
  access: { who: 'person' },
  body: {},
  bodyLimit: MIB,
  result: null,
});
const person = (userId: number): Caller => ({ kind: 'person', userId, name: 'A', sessionId: 's' });

/** Bodies that stay unfinished until the test ends them. */
function setUp() {
  const memory = new BodyMemory();
  const { promise, resolve: endAll } = Promise.withResolvers<void>();
  const state = { refused: 0 };
  /** How many of so many bodies are read. */
  const send = async (count: number, userId: number, address: string, headers = {}) => {
    let served = 0;
    const serve = () => {
      served++;
      return promise;
    };
    for (let i = 0; i < count; i++) {
      const client = { address, userAgent: null };
      const all = { 'content-length': String(MIB), ...headers };
      memory
        .hold({ headers: all, caller: person(userId), client }, contract, serve)
        .catch((error: unknown) => {
          if (error instanceof Problem && error.code === 503) state.refused++;
        });
    }
    await new Promise(setImmediate);
    return served;
  };
  return { send, endAll, state };
}

it('holds a part of the memory for each caller, network and all others', async () => {
  const { send, endAll, state } = setUp();
  const first = await send(900, 1, '10.0.0.1');
  expect(first).toBeGreaterThan(4);
  expect(first).toBeLessThanOrEqual(16);
  expect(state.refused).toBe(900 - first);
  let sameNetwork = first;
  for (let user = 2; user < 200; user++) sameNetwork += await send(20, user, '10.0.0.1');
  expect(sameNetwork).toBeLessThanOrEqual(48);
  expect(await send(1, 500, '10.0.1.1')).toBe(1);
  endAll();
  await new Promise(setImmediate);
  expect(await send(5, 1, '10.0.0.1')).toBe(5);
});

it('counts a body of unknown length as the largest, and no small one', async () => {
  const { send } = setUp();
  const chunked = { 'content-length': undefined, 'transfer-encoding': 'chunked' };
  expect(await send(900, 1, '10.0.0.1', chunked)).toBeLessThanOrEqual(16);
  expect(await send(900, 1, '10.0.0.1', { 'content-length': '16384' })).toBe(900);
});
