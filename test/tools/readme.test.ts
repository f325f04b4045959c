import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExampleWarehouse } from '../helpers/example-warehouse.ts';
import { freePort } from '../helpers/free-port.ts';
import { runWith } from '../helpers/run-with.ts';
import { dataFolder, startServer, stopServers } from '../helpers/server.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Sections whose commands start or end something in another terminal, or fetch packages. */
const OTHER_TERMINALS = [
  'Start',
  'Kill it',
  'Events for other systems',
  'Ask the assistant',
  'Use it from an MCP client',
  'Generated clients and Postman',
  'Operating it',
  'Working on it',
];
/** Lines of the first flow that start the warehouse and the service. */
const STARTS = /^(?:npm run example|OUTBOUND_ALLOW=\S+ npm start)$/m;

interface Block {
  title: string;
  commands: string;
}

function blocksOf(page: string): Block[] {
  let title = '';
  const blocks: Block[] = [];
  for (const { groups } of page.matchAll(
    /^#+ (?<title>.+)$|^```sh\n(?<commands>[\s\S]*?)^```$/gm,
  )) {
    title = groups?.title ?? title;
    if (groups?.commands !== undefined) blocks.push({ title, commands: groups.commands });
  }
  return blocks.filter(
    ({ title: of, commands }) => !OTHER_TERMINALS.includes(of) && !STARTS.test(commands),
  );
}

let warehouse: ExampleWarehouse;
afterAll(async () => {
  await warehouse.stop();
  await stopServers();
});

/** A folder with the examples, whose flows call the warehouse of the test. */
function folderWith(address: string): string {
  const folder = dataFolder();
  const examples = join(folder, 'examples');
  cpSync(join(ROOT, 'examples'), examples, { recursive: true });
  for (const file of readdirSync(examples).filter((name) => name.endsWith('.yaml'))) {
    const content = readFileSync(join(examples, file), 'utf8');
    writeFileSync(join(examples, file), content.replaceAll('127.0.0.1:4010', address));
  }
  return folder;
}

test('the commands of the README, the tour and the examples do what the pages say', async () => {
  warehouse = await ExampleWarehouse.start();
  const address = new URL(warehouse.url).host;
  const env = { OUTBOUND_ALLOW: '127.0.0.0/8', PORT: String(await freePort()) }; // webhooks name the port
  const { url } = await startServer({ env });
  const pages = ['README.md', 'docs/tour.md', 'examples/README.md'].map((page) =>
    blocksOf(readFileSync(join(ROOT, page), 'utf8')),
  );
  expect(pages.map((blocks) => blocks.length > 4)).toEqual([true, true, true]);
  const script = pages
    .flat()
    .map(({ title, commands }) => `echo '## ${title}'\n${commands}`)
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', url)
    .replaceAll('127.0.0.1:4010', address)
    .replaceAll('sleep 1 ', 'sleep 5 '); // a bound for a machine that is busy with other things
  const folder = folderWith(address);
  writeFileSync(join(folder, 'walk.sh'), `set -euo pipefail\n${script}`);
  // A command writes to /dev/stderr, which has to be a pipe and no socket.
  const args = ['-c', 'cd "$1" && { bash walk.sh 2>&1; echo "exit code $?"; } | cat', 'sh', folder];
  const { stdout } = await runWith('bash', args, {});
  expect(stdout).toMatch(/exit code 0\n$/);
  expect(stdout).not.toMatch(/^pick: /m);
  for (const told of [
    '"output":{"shipped":2,"total":77}',
    'post 0 2 FAILED\npost 0 3 SUCCESS',
    '"startedBy":{"type":"api-key"',
    '\nshipped\n',
    'Grace approved version 2.0.',
    '"output":{"region":"eu","orders":2}',
    'Hello, Ada',
    'HELLO, ADA',
    'R-2 was released.',
    '"handled":[],"later":[]',
  ]) {
    expect(stdout).toContain(told);
  }
}, 240_000);
