import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWorkspace, type Person, registerVerified } from '../test/helpers/people.ts';
import { createFlow } from '../test/helpers/runs.ts';
import { startServer } from '../test/helpers/server.ts';
import { median } from './load.ts';
import { usageOfTree } from './process.ts';

const WORKSPACES = 20;
const CONNECTIONS = 32;
/** Children start, and make a realm for each workspace, whose code the engine has yet to optimise. */
const WARM_UP_SECONDS = 15;
const SECONDS = 10;

/** Three sets with expressions, and a call. */
const FLOW = (port: number) => `
do:
  - a: { set: { n: '\${ $input.n }', list: '\${ $map([1..20], function($x){ $x * 2 }) }' } }
  - b: { set: { n: '\${ $.n + 1 }', text: '\${ $join($.list.$string(), "-") }' } }
  - c: { set: { n: '\${ $.n + 1 }' } }
  - fetch: { call: http, with: { method: get, endpoint: 'http://127.0.0.1:${port}/' } }
`;

type Run = () => Promise<void>;

/** Runs of many workspaces at once, whose expressions share a few children. */
export async function manyWorkspaces(say: (line: string) => void): Promise<void> {
  const target = createServer((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  await once(target.listen(0, '127.0.0.1'), 'listening');
  const { port } = target.address() as AddressInfo;
  const service = await startServer({
    env: { OUTBOUND_ALLOW: `127.0.0.1:${port}`, LOG_LEVEL: 'warn' },
  });
  const runs: Run[] = [];
  for (let n = 0; n < WORKSPACES; n++) {
    const owner = await registerVerified(service.url);
    runs.push(await aRun(owner, FLOW(port)));
  }
  await measure(runs, WARM_UP_SECONDS);
  const before = usageOfTree(service.pid);
  const times = await measure(runs, SECONDS);
  const after = usageOfTree(service.pid);
  const cpuMs = ((after.cpuSeconds - before.cpuSeconds) * 1000) / times.length;
  say(
    `${CONNECTIONS} runs at once in ${WORKSPACES} workspaces: ${(times.length / SECONDS).toFixed(0)}/s, ` +
      `median ${median(times).toFixed(0)} ms, ${cpuMs.toFixed(1)} ms of CPU time each`,
  );
  target.close();
  await service.stop();
}

async function aRun(owner: Person, content: string): Promise<Run> {
  const flowId = await createFlow(owner, await createWorkspace(owner), content);
  return async () => {
    const { status } = await owner.call('POST', `/flows/${flowId}/runs`, {
      query: { wait: 20_000 },
      body: { input: { n: 1 } },
    });
    if (status !== 200) throw new Error(`the run answered ${status}`);
  };
}

/** How long each run took, in ms. */
async function measure(runs: readonly Run[], seconds: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  let next = 0;
  const connection = async () => {
    while (performance.now() < end) {
      const started = performance.now();
      await runs[next++ % runs.length]?.();
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return times;
}
