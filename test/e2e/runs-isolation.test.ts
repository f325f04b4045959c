import { createServer } from 'node:net';
import { ATTACKS, FOUND } from '../../packages/flow-language/test/sandbox/attacks.ts';
import { e2e, started } from '../fixtures/e2e.ts';
import { LocalServer } from '../helpers/local-server.ts';
import { createWorkspace } from '../helpers/people.ts';
import { createFlow, runToEnd } from '../helpers/runs.ts';

const { owner: ada, stranger: eve, workspace } = e2e();

let evesWorkspace: number;
let adasFlow: number;
/** The bytes of each request that reached the target. */
const requests: string[] = [];
const target = started(
  new LocalServer(
    createServer((socket) => {
      let received = '';
      socket.setEncoding('latin1').on('data', (bytes: string) => {
        received += bytes;
        if (!received.endsWith('"end"}')) return;
        requests.push(received);
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
      });
      socket.on('error', () => undefined);
    }),
  ),
);

beforeAll(async () => {
  evesWorkspace = await createWorkspace(eve);
  adasFlow = await workspace.flow(callTo(target.port));
});

const callTo = (port: number) => `
do:
  - prepare: { set: { host: '\${ $trim(" 127.0.0.1 ") }', sum: '\${ $sum($input.list) }' } }
  - send:
      call: http
      with:
        method: post
        endpoint: '\${ "http://" & $join([$.host, "${port}"], ":") & "/" & $lowercase("ORDERS") }'
        headers: { authorization: '\${ "Bearer " & $join($map($input.token, $string), "") }' }
        body: { sum: '\${ $.sum }', sorted: '\${ $sort($input.list) }', end: end }
`;

const INPUT = { list: [3, 1, 2], token: ['s', 'e', 'c', 'r', 'e', 't'] };

/** What one run of Ada's sends; each has an idempotency key of its own. */
async function sent(): Promise<string> {
  const run = await runToEnd(ada, adasFlow, INPUT);
  expect(run).toMatchObject({ status: 'SUCCESS' });
  const bytes = requests.pop() ?? '';
  expect(requests).toEqual([]);
  return bytes.replace(/^(idempotency-key|traceparent): .*$/gim, '$1');
}

const SOME = ATTACKS.filter((_, n) => n % 12 === 0);

test('whatever expressions another account runs, a call sends the same bytes', async () => {
  const untouched = await sent();
  expect(untouched).toMatch(/^POST \/orders HTTP/);
  expect(untouched).toContain('Bearer secret');
  expect(untouched).toContain('{"sum":6,"sorted":[1,2,3],"end":"end"}');
  let attacks = 0;
  for (const attack of [...Object.values(FOUND), ...SOME]) {
    const content = JSON.stringify({ do: [{ attack: { set: { x: `\${ ${attack} }` } } }] });
    const flowId = await createFlow(eve, evesWorkspace, content).catch(() => null);
    if (flowId === null) continue; // no flow file: it is refused before it is evaluated
    await runToEnd(eve, flowId, INPUT);
    attacks += 1;
    expect(await sent()).toBe(untouched);
  }
  expect(attacks).toBeGreaterThan(20);
}, 120_000);
