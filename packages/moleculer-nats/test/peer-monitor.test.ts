import { jest } from '@jest/globals';
import { PeerMonitor } from '../peer-monitor.ts';

/** What each node does with a probe. */
const nodes = new Map<string, 'holds' | 'denies' | 'silent' | 'gone'>();
let upSince: number | undefined;
let isProbeable = true;
let asked: string[] = [];
let lost: string[] = [];
let monitor: PeerMonitor;

beforeEach(() => {
  jest.useFakeTimers();
  nodes.clear();
  upSince = -60_000;
  isProbeable = true;
  asked = [];
  lost = [];
  monitor = new PeerMonitor({
    upSince: () => upSince,
    isProbeable: () => isProbeable,
    ask(node, ids, probeId) {
      asked.push(node);
      const state = nodes.get(node);
      if (state === 'gone') queueMicrotask(() => void monitor.onNoResponders(probeId));
      if (state === 'holds')
        queueMicrotask(() => void monitor.onAnswer({ node, held: ids, missing: [] }));
      if (state === 'denies')
        queueMicrotask(() => void monitor.onAnswer({ node, held: [], missing: ids }));
    },
  });
  monitor.start();
});
afterEach(() => {
  monitor.stop();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

const after = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const monitorCall = (...candidates: string[]) =>
  monitor.monitor('call', {
    candidates: () => candidates,
    onLost: () => lost.push('call'),
  });

test('an item is lost within 2 s when the connection of its only candidate has ended', async () => {
  nodes.set('a', 'gone');
  monitorCall('a');
  await after(500);
  expect(lost).toEqual([]); // the process may be reconnecting
  await after(1_300);
  expect(lost).toEqual(['call']);
  await after(5_000);
  expect(lost).toEqual(['call']);
});

test('an item is lost when its holder dies, whatever other nodes say', async () => {
  nodes.set('a', 'holds').set('b', 'silent');
  monitorCall('a', 'b');
  await after(3_000);
  expect(lost).toEqual([]);
  nodes.set('a', 'gone');
  await after(1_800);
  expect(lost).toEqual(['call']);
});

test('an item is lost when every node denies it or is gone', async () => {
  nodes.set('a', 'gone').set('b', 'denies');
  monitorCall('a', 'b');
  await after(1_800);
  expect(lost).toEqual(['call']);
});

test.each(['silent', 'holds'] as const)('an item is kept while one candidate %s', async (state) => {
  nodes.set('a', 'gone').set('b', state);
  monitorCall('a', 'b');
  await after(60_000);
  expect(lost).toEqual([]);
  monitor.forget('call');
});

test('a node that reconnects in time is not gone', async () => {
  nodes.set('a', 'gone');
  monitorCall('a');
  await after(700);
  nodes.set('a', 'holds');
  await after(60_000);
  expect(lost).toEqual([]);
  monitor.forget('call');
});

test('a node is given time to reconnect after this process has', async () => {
  nodes.set('a', 'gone');
  upSince = performance.now();
  monitorCall('a');
  await after(2_400);
  nodes.set('a', 'holds');
  await after(60_000);
  expect(lost).toEqual([]);
  monitor.forget('call');
});

test('nothing is lost while this process has no connection', async () => {
  nodes.set('a', 'gone');
  upSince = undefined;
  monitorCall('a');
  await after(60_000);
  expect([lost, asked]).toEqual([[], []]);
  monitor.forget('call');
});

test('a node that does not answer probes keeps its items', async () => {
  isProbeable = false;
  monitorCall('a');
  await after(60_000);
  expect([lost, asked]).toEqual([[], []]);
  monitor.forget('call');
});

test('an item without a known candidate is kept', async () => {
  monitorCall();
  await after(60_000);
  expect(lost).toEqual([]);
  monitor.forget('call');
});

test('a node that was not asked has no say, and what it is asked names no id', async () => {
  const items: string[] = [];
  monitor.stop();
  monitor = new PeerMonitor({
    upSince: () => upSince,
    isProbeable: () => true,
    ask: (_, asked) => items.push(...asked),
  });
  monitor.start();
  monitorCall('a');
  await after(300);
  expect(items).not.toContain('call');
  for (const node of ['b', 'c']) {
    monitor.onAnswer({ node, held: items, missing: [] });
    monitor.onAnswer({ node, held: [], missing: items });
  }
  await after(60_000);
  expect(lost).toEqual([]);
  monitor.forget('call');
});
