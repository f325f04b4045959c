import { registerVerified } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { usageOfTree } from '../process.ts';
import { printLine } from '../report.ts';
import { loadRuns, prepareFlow, type StartRun } from '../run-load.ts';
import { startTarget } from '../setup.ts';

const WORKSPACES = 20;
const CLIENTS = 32;
/** Seconds before the measurement, in which children start, make a realm for each workspace, and V8 optimises their code. */
const WARM_UP_SECONDS = 15;
/** Seconds of the measurement. */
const SECONDS = 10;

/** Returns a flow of three sets with expressions and one call. */
const setsAndCall = (port: number): string => `
do:
  - a: { set: { n: '\${ $input.n }', list: '\${ $map([1..20], function($x){ $x * 2 }) }' } }
  - b: { set: { n: '\${ $.n + 1 }', text: '\${ $join($.list.$string(), "-") }' } }
  - c: { set: { n: '\${ $.n + 1 }' } }
  - fetch: { call: http, with: { method: get, endpoint: 'http://127.0.0.1:${port}/' } }
`;

/** Measures concurrent runs of many workspaces, whose expressions share a few children. */
export async function measureManyWorkspaces(): Promise<void> {
  const target = await startTarget();
  const service = await startServer({
    env: { OUTBOUND_ALLOW: `127.0.0.1:${target.port}`, LOG_LEVEL: 'warn' },
  });
  const flows: StartRun[] = [];
  for (let n = 0; n < WORKSPACES; n++) {
    const owner = await registerVerified(service.url);
    flows.push(await prepareFlow(owner, setsAndCall(target.port)));
  }
  const startRun = async (n: number) => flows[n % flows.length]?.();
  await loadRuns(startRun, CLIENTS, WARM_UP_SECONDS);
  const before = usageOfTree(service.pid);
  const { perSecond, completed, latencyMs } = await loadRuns(startRun, CLIENTS, SECONDS);
  const after = usageOfTree(service.pid);
  const cpuMs = ((after.cpuSeconds - before.cpuSeconds) * 1000) / completed;
  printLine(
    `${CLIENTS} runs at once in ${WORKSPACES} workspaces: ${perSecond.toFixed(0)}/s, ` +
      `median ${latencyMs.toFixed(0)} ms, ${cpuMs.toFixed(1)} ms of CPU time each`,
  );
  target.stop();
  await service.stop();
}
