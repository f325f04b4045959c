import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWorkspace, register } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { percentile } from '../percentile.ts';
import { DURABILITY, printLine, reportFigure } from '../report.ts';
import { productionEnvironment, startDatabase, stopDatabase } from '../setup.ts';

/** Issues that are raised a second, and for how many seconds. */
const PER_SECOND = 100;
const SECONDS = 20;
/** Subscriptions to the events of the workspace. The first has a slow receiver. */
const SUBSCRIPTIONS = 10;
/** Milliseconds after which the slow receiver answers. */
const SLOW_MS = 5_000;
/** Milliseconds for the last deliveries. */
const REST_MS = 10_000;

/** Measures how long after an issue's request its event comes to receivers, beside one that is slow. */
export async function measureDeliveries(): Promise<void> {
  const database = await startDatabase('deliveries');
  const arrivals: { path: string; title: string; at: number }[] = [];
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { title: string } };
    const path = request.url ?? '';
    arrivals.push({ path, title: data.title, at: performance.now() });
    if (path === '/0') await sleep(SLOW_MS);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    const OUTBOUND_ALLOW = '127.0.0.0/8';
    const service = await startServer({
      env: { ...productionEnvironment(database.uri), OUTBOUND_ALLOW },
    });
    try {
      const owner = await register(service.url);
      const workspaceId = await createWorkspace(owner);
      const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
      for (let n = 0; n < SUBSCRIPTIONS; n++) {
        const body = { url: `${origin}/${n}`, events: ['issue.created'] };
        await owner.call('POST', `/workspaces/${workspaceId}/event-subscriptions`, { body });
      }
      printLine(`${PER_SECOND} events a second into ${SUBSCRIPTIONS} subscriptions; ${DURABILITY}`);
      const raisedAt = new Map<string, number>();
      const requests: Promise<unknown>[] = [];
      const begin = performance.now();
      for (let n = 0; n < PER_SECOND * SECONDS; n++) {
        await sleep(Math.max(0, begin + (n * 1_000) / PER_SECOND - performance.now()));
        const title = `issue ${n}`;
        raisedAt.set(title, performance.now());
        const body = { title, description: '' };
        requests.push(owner.call('POST', `/workspaces/${workspaceId}/issues`, { body }));
      }
      await Promise.all(requests);
      await sleep(REST_MS);
      const quick = arrivals.filter(({ path }) => path !== '/0');
      const delays = quick.map(({ title, at }) => at - (raisedAt.get(title) ?? Number.NaN));
      printLine(
        `p50 ${Math.round(percentile(delays, 0.5))} ms, the latest ${Math.round(Math.max(...delays))} ms; the slow receiver got ${arrivals.length - quick.length}`,
      );
      const expected = PER_SECOND * SECONDS * (SUBSCRIPTIONS - 1);
      reportFigure(
        FIGURES.missingDeliveries,
        expected - new Set(quick.map((a) => a.path + a.title)).size,
        0,
      );
      reportFigure(FIGURES.deliveryP99, percentile(delays, 0.99), 0);
    } finally {
      await service.stop();
    }
  } finally {
    receiver.closeAllConnections();
    receiver.close();
    await stopDatabase(database);
  }
}
