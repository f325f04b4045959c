import { type Context, Errors, ServiceBroker, type ServiceSchema } from 'moleculer';
import { connectionOf } from '../../mixins/nats/address.ts';
import { RemoteCalls } from '../../mixins/nats/remote-calls.ts';
import { NatsTransporter } from '../../mixins/nats/transporter.ts';
import { Problem } from '../../mixins/problem.ts';
import { brokerOptions } from '../../moleculer.config.ts';
import { killNats, TestNats } from '../helpers/nats.ts';
import { waitFor } from '../helpers/wait.ts';

const TOO_MUCH = 'x'.repeat(1024 * 1024);
/** A call's own deadline, in milliseconds, as every service has it. */
const DEADLINE = brokerOptions.requestTimeout ?? 0;

let nats: TestNats;
let caller: ServiceBroker;
let callee: ServiceBroker;
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
      retryPolicy: { enabled: true },
      handler: () => (count('read') === 1 ? never() : 'found'),
    },
    write: () => `written ${count('write')}`,
    held: async () => {
      count('held');
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
      return 'let go';
    },
  },
};

const broker = (nodeID: string): ServiceBroker =>
  new ServiceBroker({
    ...brokerOptions,
    nodeID,
    namespace: 'calls-test',
    logger: false,
    disableBalancer: true,
    transporter: new NatsTransporter(connectionOf(nats.url)) as never,
    middlewares: [RemoteCalls()],
  });

async function startCallee(): Promise<void> {
  callee = broker('callee');
  callee.createService(things);
  await callee.start();
}

/** As a process that was killed: its socket is gone, and nobody was told. */
async function cutOffCallee(): Promise<void> {
  await (callee.transit as unknown as { tx: NatsTransporter }).tx.client?.close();
}

beforeAll(async () => {
  nats = await TestNats.start();
  caller = broker('caller');
  await Promise.all([caller.start(), startCallee()]);
  await caller.waitForServices('things');
});
afterAll(async () => {
  await Promise.all([caller.stop(), callee.stop()]);
  await killNats();
});

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'none',
    (e) => e,
  );
const connected = () => Promise.resolve([caller, callee].every((b) => b.transit?.tx.connected));

test('a call that would be too large is refused before it is sent, others go on', async () => {
  const failure = await failureOf(caller.call('things.echo', { text: TOO_MUCH }));
  expect(failure).toBeInstanceOf(Problem);
  expect(failure).toMatchObject({ type: 'BODY_TOO_LARGE', code: 413 });
  expect(await caller.call('things.echo', { text: 'four' })).toEqual({ length: 4 });
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

test('a call that nobody takes is answered 503, and remembered by nobody', async () => {
  await cutOffCallee();
  const failure = await failureOf(caller.call('things.write'));
  expect(failure).toMatchObject({ type: 'UNAVAILABLE', code: 503 });
  expect(caller.transit?.pendingRequests.size).toBe(0);
});

test('a write that nobody takes at first is made once when somebody comes', async () => {
  const answer = caller.call('things.write');
  await startCallee();
  expect(await answer).toBe('written 1');
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
  nats.signal('SIGSTOP');
  const since = performance.now();
  const failure = failureOf(caller.call('things.write'));
  await waitFor('the call', () => caller.transit?.pendingRequests.size === 1);
  await nats.kill();
  await nats.start();
  expect(await failure).toBeInstanceOf(Errors.RequestTimeoutError);
  expect(performance.now() - since).toBeLessThan(DEADLINE);
  expect(done.write).toBe(before);
  await waitFor('the connections', connected);
  expect(await caller.call('things.echo')).toEqual({ length: 0 });
});
