import { request } from '../../test/helpers/http.ts';
import { register } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { median } from '../load.ts';
import { reportFigure } from '../report.ts';
import { prepareFlow } from '../run-load.ts';
import { startTarget } from '../setup.ts';

const RUNS = 60;
const WARM_UP_RUNS = 10;
const WAITS = 10;
const WAIT_MS = 300;

/** Returns a flow of three sets and one call. */
const threeSetsAndCall = (port: number): string => `
do:
  - a: { set: { n: '\${ $input.n }' } }
  - b: { set: { n: '\${ $.n + 1 }' } }
  - c: { set: { n: '\${ $.n + 1 }' } }
  - fetch: { call: http, with: { method: get, endpoint: 'http://127.0.0.1:${port}/' } }
`;

/** Measures the time that the engine adds to one HTTP call and to a wait, one run after another. */
export async function measureRunOverhead(): Promise<void> {
  const target = await startTarget();
  const service = await startServer({
    env: { OUTBOUND_ALLOW: `127.0.0.1:${target.port}`, LOG_LEVEL: 'warn' },
  });
  const owner = await register(service.url);
  const run = await prepareFlow(owner, threeSetsAndCall(target.port));
  const through: number[] = [];
  const direct: number[] = [];
  for (let n = 0; n < RUNS; n++) {
    through.push(await measureTime(run));
    direct.push(await measureTime(() => request(`http://127.0.0.1:${target.port}`, 'GET', '/')));
  }
  const warm = (values: number[]) => median(values.slice(WARM_UP_RUNS));
  reportFigure(FIGURES.runOverhead, warm(through) - warm(direct));
  const late: number[] = [];
  const rest = await prepareFlow(owner, `do:\n  - rest: { wait: { milliseconds: ${WAIT_MS} } }\n`);
  for (let n = 0; n < WAITS; n++) {
    const { startedAt, completedAt } = await rest();
    late.push(Date.parse(completedAt) - Date.parse(startedAt) - WAIT_MS);
  }
  reportFigure(FIGURES.waitOverhead, median(late), 0);
  target.stop();
  await service.stop();
}

async function measureTime(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
