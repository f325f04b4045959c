import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { STORY } from '../e2e/reference-story.ts';
import { request } from '../helpers/http.ts';
import { type DescribedOperation, OpenApi } from '../helpers/openapi.ts';
import { dataFolder, startServer, stopServers, type TestServer } from '../helpers/server.ts';
import { runTool } from './run-tool.ts';

/** The collection that Postman makes of the document, and Newman's run of it. */
interface Item {
  name: string;
  item?: Item[];
  request: { method: string; url: { path: string[] } };
}
interface Collection {
  info: object;
  item: Item[];
  variable: { key: string; value: string }[];
  event?: object[];
}
interface Execution {
  item: { name: string };
  requestError?: { message: string };
  response?: { code: number; header: { key: string; value: string }[]; stream: { data: number[] } };
}
interface Converter {
  convertV2(
    input: { type: 'string'; data: string },
    options: object,
    done: (
      error: Error | null,
      made: { result: boolean; reason?: string; output: { data: Collection }[] },
    ) => void,
  ): void;
}

/** What a person chooses on the page of the import: the examples, and no optional parameters. */
const IMPORT = {
  folderStrategy: 'Tags',
  parametersResolution: 'Example',
  enableOptionalParameters: false,
};

/** Keeps tokens and keys in the variables that the requests use, as a person copies them there. */
const KEEP_TOKENS = `
const answer = pm.response.headers.get('Content-Type')?.includes('json') ? pm.response.json() : {};
if (answer?.accessToken) pm.collectionVariables.set('bearerToken', answer.accessToken);
if (answer?.key) pm.collectionVariables.set('apiKey', answer.key);
`;

/** Failures of systems that are not there: the example calls another system, and no model is configured. */
const AWAY = [502, 503];

let server: TestServer;
let api: OpenApi;
let collection: Collection;
beforeAll(async () => {
  server = await startServer({ oneProcess: true });
  api = await OpenApi.of(server.url);
  collection = await convert((await request(server.url, 'GET', '/openapi.json')).text);
});
afterAll(stopServers);

function convert(data: string): Promise<Collection> {
  const { convertV2 } = createRequire(join(import.meta.dirname, 'package.json'))(
    'openapi-to-postmanv2',
  ) as Converter;
  return new Promise((resolve, reject) => {
    convertV2({ type: 'string', data }, IMPORT, (error, { result, reason, output }) => {
      const made = output?.[0]?.data;
      if (error || !result || !made) reject(error ?? new Error(reason));
      else resolve(made);
    });
  });
}

const requestsOf = ({ item }: { item: Item[] }): Item[] =>
  item.flatMap((one) => (one.item ? requestsOf({ item: one.item }) : [one]));

/** The operation of a request: Postman writes parameters as `:name`. */
function operationOf({ request: { method, url } }: Item): DescribedOperation {
  const path = `/${url.path.map((part) => part.replace(/^:(\w+)$/, '{$1}')).join('/')}`;
  const found = api.operations.find((one) => one.method === method && one.path === path);
  if (!found) throw new Error(`the document has no ${method} ${path}`);
  return found;
}

it('the collection has every operation, with its examples', () => {
  const ids = requestsOf(collection).map((item) => operationOf(item).id);
  expect([...ids].sort()).toEqual(api.operations.map(({ id }) => id).sort());
  expect(JSON.stringify(collection)).toContain('"key":"name","value":"Analytical Engines"');
});

it('Newman runs it: every answer is as the document says', async () => {
  const order = STORY.map(({ operation }) => operation);
  const items = requestsOf(collection).sort(
    (one, other) => order.indexOf(operationOf(one).id) - order.indexOf(operationOf(other).id),
  );
  const folder = dataFolder();
  const script = { type: 'text/javascript', exec: KEEP_TOKENS.split('\n') };
  const ordered = {
    ...collection,
    item: items,
    variable: [
      { key: 'baseUrl', value: server.url },
      { key: 'bearerToken', value: '' },
      { key: 'apiKey', value: '' },
    ],
    event: [{ listen: 'test', script }],
  };
  writeFileSync(join(folder, 'collection.json'), JSON.stringify(ordered));
  const report = ['--reporters', 'json', '--reporter-json-export', 'report.json'];
  const { code, stdout } = await runTool('newman', ['run', 'collection.json', ...report], folder);
  expect([code, stdout]).toEqual([0, '']);
  const { run } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as {
    run: { executions: Execution[] };
  };
  const answers = run.executions.map((execution, at) => {
    const operation = operationOf(items[at] as Item);
    const { response, requestError } = execution;
    if (!response) return { id: operation.id, status: 0, faults: [requestError?.message] };
    const type = response.header.find(({ key }) => key.toLowerCase() === 'content-type')?.value;
    const text = Buffer.from(response.stream.data).toString();
    const status = response.code;
    const faults = api.faultsOfAnswer(operation, { status, type, text });
    return { id: operation.id, status, faults };
  });
  expect(answers).toHaveLength(items.length);
  expect(answers.filter(({ faults }) => faults.length > 0)).toEqual([]);
  expect(
    answers.filter(({ status }) => status >= 500 && !AWAY.includes(status)).map(({ id }) => id),
  ).toEqual([]);
  const succeeded = answers.filter(({ status }) => status < 300);
  expect(succeeded.length).toBeGreaterThan(130);
});
