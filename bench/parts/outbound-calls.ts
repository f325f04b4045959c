import { createOutboundClient } from '@workspace-automation/outbound-http';
import { Agent, request } from 'undici';
import { FIGURES } from '../figures.ts';
import { interleave, median, medianRatio } from '../load.ts';
import { printLine, reportFigure } from '../report.ts';
import { startProgram } from '../setup.ts';

const ROUNDS = 8;
/** Calls of one measure. */
const CALLS = 2_000;
/** Calls that are under way at once. */
const CLIENTS = 16;
/** Milliseconds of the deadline of a call, by hand as well. */
const TIMEOUT_MS = 60_000;
const BODY = JSON.stringify({ id: 1 });
const HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

/**
 * Compares calls by the outbound client with the same calls by hand, by `request` of undici with a deadline, to one
 * local server: GET, and POST of JSON with a credential. The value of a measure is the microseconds of a call.
 */
export async function measureOutboundCalls(): Promise<void> {
  const server = await startProgram('outbound-server.ts', []);
  const origin = `http://127.0.0.1:${server.line}`;
  const url = `${origin}/orders?since=1`;
  const client = createOutboundClient({ allow: [`127.0.0.1:${server.line}`] });
  const agent = new Agent();
  const secretHeaders = { authorization: 'Bearer secret-of-the-bench' };
  const ownHeaders = { 'idempotency-key': 'bench' };
  const plain = async (method: 'GET' | 'POST', headers = {}, body: string | null = null) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await request(url, { dispatcher: agent, method, headers, body, signal });
    await answer.body.arrayBuffer();
  };
  const found = await interleave(ROUNDS, {
    ours: () => timeCalls(() => client.send({ method: 'GET', url, timeoutMs: TIMEOUT_MS })),
    plain: () => timeCalls(() => plain('GET')),
    oursPosted: () =>
      timeCalls(() =>
        client.send({
          ...{ method: 'POST', url, headers: HEADERS, body: BODY, timeoutMs: TIMEOUT_MS },
          ...{ secretHeaders, ownHeaders },
        }),
      ),
    plainPosted: () =>
      timeCalls(() => plain('POST', { ...HEADERS, ...secretHeaders, ...ownHeaders }, BODY)),
  });
  const times = Object.entries(found).map(([name, all]) => `${name} ${Math.round(median(all))} µs`);
  printLine(`outbound calls: ${times.join(', ')}`);
  reportFigure(FIGURES.outboundGet, medianRatio(found.ours, found.plain));
  reportFigure(FIGURES.outboundPost, medianRatio(found.oursPosted, found.plainPosted));
  await Promise.all([client.close(), agent.close()]);
  server.stop();
}

/** Returns the microseconds of a call while `CLIENTS` calls are under way. */
async function timeCalls(call: () => Promise<unknown>): Promise<number> {
  let left = CALLS;
  const work = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, work));
  return ((performance.now() - begin) / CALLS) * 1_000;
}
