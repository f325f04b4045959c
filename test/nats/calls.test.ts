import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ActionSchema, type Context, Errors, type ServiceSchema } from 'moleculer';
import { ErrorCode, type NatsError } from 'nats';
import { InvalidRequest, Problem } from '../../contract/problem.ts';
import { brokerOptions } from '../../moleculer.config.ts';
import { nodes, type TestNode } from '../fixtures/nodes.ts';
import { failureOf, waitFor } from '../helpers/wait.ts';

const TOO_MUCH = 'x'.repeat(1024 * 1024);
/** A call's own deadline, in milliseconds, as every service has it. */
const DEADLINE = brokerOptions.requestTimeout ?? 0;

/** How often each action was carried out. */
const done: Record<string, number> = {};
let letGo: (() => void) | undefined;

const count = (name: string): number => {
  done[name] = (done[name] ?? 0) + 1;
  return done[name];
};
const never = () => new Promise<never>(() => undefined);
const things: ServiceSchema = {
  name: 'things',
  actions: {
    echo: (ctx: Context<{ text?: string }>) => ({ length: ctx.params.text?.length ?? 0 }),
    huge: () => TOO_MUCH,
    read: {
      idempotent: true,
      handler: () => (count('read') === 1 ? never() : 'found'),
    } as ActionSchema,
    keyed: {
      idempotentWith: 'key',
      handler: () => (count('keyed') === 1 ? never() : 'found'),
    } as ActionSchema,
    slow: {
      idempotent: true,
      handler: async () => {
        if (count('slow') > 1) return never();
        await waitFor('another', () => (done.slow ?? 0) > 1);
        return 'the first';
      },
    } as ActionSchema,
    waiting: {
      timeout: 70_000,
      waitParam: 'wait',
      handler: async () => {
        await sleep(20);
        throw new Problem(InvalidRequest, 'A negative wait.');
      },
    } as ActionSchema,
    timeLeft: (ctx: Context) => ctx.call('home.timeGiven'),
    silent: never,
    write: () => `written ${count('write')}`,
    cut: () => {
      setImmediate(() => void callee.transporter.client?.close()); // before the buffer is flushed
      return `cut ${count('cut')}`;
    },
    held: async () => {
      count('held');
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
      return 'let go';
    },
  },
};

const { nats, node, startNode } = nodes();
const caller = node('caller', {
  service: { name: 'home', actions: { timeGiven: (ctx: Context) => ctx.options.timeout } },
});
/** The node that runs; another takes its place when it is cut off. */
let callee: TestNode = node('callee', { service: things });
beforeAll(() =>
  Promise.all([caller.untilOffered('things.echo'), callee.untilOffered('home.timeGiven')]),
);

/** As a process that was killed: its socket is gone, and nobody was told. */
async function cutOffCallee(): Promise<void> {
  await callee.transporter.disconnect();
  const { client, prefix } = caller.transporter;
  const isUnheard = (): Promise<boolean> | undefined =>
    client?.request(`${prefix}.PONG.callee`, undefined, { timeout: 100 }).then(
      () => false,
      ({ code }: NatsError) => code === ErrorCode.NoResponders,
    );
  await waitFor('nats-server to know', isUnheard);
}

/** Contexts of remote calls, for which `stop` would wait. */
const underWay = () =>
  (caller.broker as unknown as { _trackedContexts: unknown[] })._trackedContexts.length;
const connected = () =>
  Promise.resolve([caller, callee].every(({ transit }) => transit?.tx.connected));

test('a call that would be too large is refused before it is sent, others go on', async () => {
  const failure = await failureOf(caller.call('things.echo', { text: TOO_MUCH }));
  expect(failure).toBeInstanceOf(Problem);
  expect(failure).toMatchObject({ type: 'BODY_TOO_LARGE', code: 413 });
  expect(await caller.call('things.echo', { text: 'four' })).toEqual({ length: 4 });
});

test('a call larger than this server takes is refused at once, others go on', async () => {
  const { info } = caller.transporter.client ?? {};
  if (!info) throw new Error('no connection');
  const { max_payload } = info;
  info.max_payload = 2_000;
  const large = failureOf(caller.call('things.echo', { text: 'x'.repeat(2_000) }));
  const small = caller.call('things.echo', { text: 'four' });
  expect(await large).toMatchObject({ message: 'MAX_PAYLOAD_EXCEEDED' });
  expect(await small).toEqual({ length: 4 });
  info.max_payload = max_payload;
});

test('an answer that would be too large becomes a 500 that says nothing', async () => {
  const failure = await failureOf(caller.call('things.huge'));
  expect(failure).toBeInstanceOf(Problem);
  expect(failure).toMatchObject({ type: 'INTERNAL_ERROR', code: 500 });
  expect(await caller.call('things.echo', { text: 'four' })).toEqual({ length: 4 });
});

test('a read whose answer never comes is asked for again', async () => {
  expect(await caller.call('things.read')).toBe('found');
  expect(done.read).toBe(2);
});

test('a write is made again only with the field of the meta that its action names', async () => {
  expect(await caller.call('things.keyed', {}, { meta: { key: 1 } })).toBe('found');
  expect(done.keyed).toBe(2);
  done.keyed = 0;
  const failure = await failureOf(caller.call('things.keyed', {}, { timeout: 1_000 }));
  expect(failure).toBeInstanceOf(Errors.RequestTimeoutError);
  expect(done.keyed).toBe(1);
});

test('a read that is slow is answered by whoever has done it first', async () => {
  expect(await caller.call('things.slow')).toBe('the first');
  expect(done.slow).toBe(2);
});

test.each(['-1', '-20000', '-1e300', '1e999', 'NaN'])(
  'a call that asks to wait %s ms is answered',
  async (wait) => {
    const failure = await failureOf(caller.call('things.waiting', { wait }));
    expect(failure).toMatchObject({ type: 'INVALID_REQUEST', code: 400 });
  },
);

test('a call that is made for another has the time that is left of it', async () => {
  const left = await caller.call('things.timeLeft', {}, { timeout: DEADLINE / 2 });
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(DEADLINE / 2);
});

test('a call that is never answered is work of nobody any more', async () => {
  const failure = await failureOf(caller.call('things.silent', {}, { timeout: 200 }));
  expect(failure).toBeInstanceOf(Errors.RequestTimeoutError);
  await waitFor('the end', () => underWay() === 0);
  expect(caller.pendingCalls).toBe(0);
});

test('a call that nobody takes is answered 503, and remembered by nobody', async () => {
  await cutOffCallee();
  const failure = await failureOf(caller.call('things.write'));
  expect(failure).toMatchObject({ type: 'UNAVAILABLE', code: 503 });
  expect(caller.pendingCalls).toBe(0);
});

test('a write that nobody takes at first is made once when somebody comes', async () => {
  const answer = caller.call('things.write');
  callee = await startNode('callee', { service: things });
  expect(await answer).toBe('written 1');
});

/** Makes a call and waits, within this turn of the event loop, until the message is on its way. */
async function callInThisTurn(
  action: string,
  params: object,
): Promise<{ answer: Promise<unknown> }> {
  const pending = caller.transit?.pendingRequests;
  const before = pending?.size;
  const answer = caller.call(action, params);
  while (pending?.size === before) await Promise.resolve();
  return { answer };
}

test('a call of the turn in which its connection ends is made once, on the next connection', async () => {
  const before = done.write ?? 0;
  const { answer } = await callInThisTurn('things.write', {});
  void caller.transporter.client?.close();
  expect(await answer).toBe(`written ${before + 1}`);
  expect(caller.pendingCalls).toBe(0);
});

test('an answer of the turn in which its connection ends comes on the next connection', async () => {
  expect(await caller.call('things.cut')).toBe('cut 1');
});

test('calls of one turn leave in one write', async () => {
  const writes = jest.spyOn(Socket.prototype, 'write');
  const calls: { answer: Promise<unknown> }[] = [];
  for (const text of ['', 'x', 'xx']) calls.push(await callInThisTurn('things.echo', { text }));
  await new Promise((resolve) => setImmediate(resolve));
  const sent = writes.mock.calls.map(([data]) => Buffer.from(data).toString());
  writes.mockRestore();
  const counts = sent.map((data) => data.match(/^PUB .*things\.echo/gm)?.length ?? 0);
  expect(counts.filter((count) => count > 0)).toEqual([3]);
  const answers = await Promise.all(calls.map(({ answer }) => answer));
  expect(answers).toEqual([{ length: 0 }, { length: 1 }, { length: 2 }]);
});

test('an answer that is ready while NATS is away comes when NATS is back', async () => {
  const answer = caller.call('things.held');
  await waitFor('the call', () => done.held === 1);
  await nats.kill();
  await waitFor('the news', async () => !callee.transit?.tx.connected);
  letGo?.();
  await nats.start();
  expect(await answer).toBe('let go');
});

test('a write that died within nats-server is given up soon after its return, and not made again', async () => {
  await waitFor('the connections', connected);
  const before = done.write;
  await nats.freeze();
  const since = performance.now();
  const failure = failureOf(caller.call('things.write'));
  await waitFor('the call', () => caller.pendingCalls === 1);
  await nats.kill();
  await nats.start();
  expect(await failure).toBeInstanceOf(Errors.RequestTimeoutError);
  expect(performance.now() - since).toBeLessThan(DEADLINE);
  expect(done.write).toBe(before);
  await waitFor('the connections', connected);
  expect(await caller.call('things.echo')).toEqual({ length: 0 });
});
