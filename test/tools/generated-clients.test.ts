import { execFile } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { request } from '../helpers/http.ts';
import { dataFolder, startServer, stopServers, type TestServer } from '../helpers/server.ts';
import { runTool } from './run-tool.ts';

const run = promisify(execFile);
const TOURS = join(import.meta.dirname, 'clients');

let server: TestServer;
let document: string;
beforeAll(async () => {
  server = await startServer({ oneProcess: true });
  document = (await request(server.url, 'GET', '/openapi.json')).text;
});
afterAll(stopServers);

interface Generator {
  /** The file of the tour in `clients/`. */
  tour: string;
  tool: string;
  args: string[];
  /** Settings of the generator, by the name of their file. */
  files?: Record<string, string>;
}

const generators = (): Generator[] => [
  {
    tour: 'openapi-fetch',
    tool: 'openapi-typescript',
    args: ['openapi.json', '-o', 'client.d.ts'],
  },
  {
    tour: 'hey-api',
    tool: 'openapi-ts',
    args: ['-i', 'openapi.json', '-o', 'client', '-c', '@hey-api/client-fetch'],
  },
  {
    tour: 'orval',
    tool: 'orval',
    args: ['--config', 'orval.config.mjs'],
    files: {
      'orval.config.mjs': `export default { api: {
        input: { target: './openapi.json' },
        output: { target: './client.ts', client: 'fetch', mode: 'single', baseUrl: '${server.url}' },
      } };`,
    },
  },
];

/** The compiler's settings of a strict project for browsers and Node.js. */
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: false,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: ['node'],
    typeRoots: [join(import.meta.dirname, '../../node_modules/@types')],
    outDir: 'out',
    noEmitOnError: true,
  },
};

/** A folder with the document, the tour and the settings of a generator. */
function projectOf({ tour, files = {} }: Generator): string {
  const folder = dataFolder();
  const contents = {
    'openapi.json': document,
    'package.json': JSON.stringify({ type: 'module' }),
    'tsconfig.json': JSON.stringify({ ...TSCONFIG, files: [`${tour}.ts`] }),
    ...files,
  };
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(folder, name), text);
  for (const name of [`${tour}.ts`, 'outcome.ts']) cpSync(join(TOURS, name), join(folder, name));
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

it.each(['openapi-fetch', 'hey-api', 'orval'])(
  'a client for %s compiles strictly and works',
  async (name) => {
    const generator = generators().find(({ tour }) => tour === name) as Generator;
    const folder = projectOf(generator);
    const generated = await runTool(generator.tool, generator.args, folder);
    expect([generated.code, generated.code ? generated : '']).toEqual([0, '']);
    const compiled = await runTool('tsc', ['-p', '.'], folder);
    expect(compiled).toEqual({ code: 0, stdout: '', stderr: '' });
    const email = `ada.${name}@example.com`;
    const env = { ...process.env, BASE: server.url, EMAIL: email };
    const { stdout } = await run(process.execPath, [join(folder, 'out', `${name}.js`)], { env });
    expect(JSON.parse(stdout)).toEqual({
      email,
      workspace: 'Engines',
      member: `member.${email}`,
      issue: 'First',
      status: 'SUCCESS',
      output: { text: 'Hello, Ada' },
      steps: ['greet SUCCESS'],
      events: expect.arrayContaining(['run', 'step', 'end']),
      pages: [['First'], ['Second']],
      upload: 'teeth.csv',
      problem: 'NOT_FOUND',
      stale: 412,
      changed: 'IN_PROGRESS',
      repeated: true,
    });
  },
);
