import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json, Task, Template } from '@workspace-automation/flow-language';
import { createOutboundClient, type OutboundClient } from '@workspace-automation/outbound-http';
import type { SentSecrets } from '../../../models/journal-entry.ts';
import type { RunDocument } from '../../../models/run.model.ts';
import type { ConnectionsCalls } from '../../../services/runs/engine/execution/effects/effect.ts';
import type { RunWorker } from '../../../services/runs/engine/worker.ts';
import { LocalServer } from '../../helpers/local-server.ts';
import { endOf, literal, newRun, onRunsDatabase, planOf, storeRun, workerOf } from './engine.ts';

type Question = Parameters<ConnectionsCalls['prepareCall']>[0];
type Prepared = Awaited<ReturnType<ConnectionsCalls['prepareCall']>>;

export interface SeenRequest {
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A server that tests answer by hand, with a client that may call it: by its address, or by any name. */
export interface CalledServer {
  url: string;
  client: OutboundClient;
  seen: SeenRequest[];
  /** Answers each request; by default an empty JSON object. */
  answer: (request: SeenRequest, response: ServerResponse) => void;
}

/** A server for the tests of a file, as new before each test. */
export function useCalledServer(): CalledServer {
  const called: CalledServer = {
    url: '',
    client: createOutboundClient({
      allow: ['127.0.0.0/8'],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    }),
    seen: [],
    answer: () => undefined,
  };
  const server = new LocalServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      const seen = { url, headers, body: Buffer.concat(chunks).toString() };
      called.seen.push(seen);
      called.answer(seen, response);
    });
  });
  beforeAll(async () => {
    called.url = (await server.start()).origin;
  });
  beforeEach(() => {
    called.seen.length = 0;
    called.answer = (_request, response) => sendJson(response, {});
  });
  afterAll(async () => {
    await called.client.close();
    await server.stop();
  });
  return called;
}

export function sendJson(response: ServerResponse, value: Json, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** The service `connections` as a test tells it to answer, with the questions that it was asked. */
export class ToldConnections implements ConnectionsCalls {
  readonly asked: Question[] = [];
  /** The credentials of each question for secrets. */
  readonly masked: number[][] = [];
  /** The sealed secrets of each question to open them. */
  readonly opened: SentSecrets[][] = [];
  prepare: (question: Question) => Prepared | Promise<Prepared> = () => {
    throw new Error('the test prepares no call');
  };
  secrets: Record<number, string[]> = {};

  prepareCall = async (question: Question): Promise<Prepared> => {
    this.asked.push(question);
    return this.prepare(question);
  };

  openSecrets: ConnectionsCalls['openSecrets'] = async ({ sealed }) => {
    this.opened.push(sealed);
    return { opened: sealed.map((sent) => openTold(sent)) };
  };

  secretsToMask: ConnectionsCalls['secretsToMask'] = async ({ credentialIds }) => {
    this.masked.push(credentialIds);
    return { secrets: credentialIds.flatMap((id) => this.secrets[id] ?? []) };
  };
}

/** Seals secrets of a credential as `ToldConnections` opens them. The text does not contain the secrets. */
export const sealTold = (credentialId: number, secrets: readonly string[]): string =>
  Buffer.from(JSON.stringify({ credentialId, secrets })).toString('hex');

/** Opens what `sealTold` has made; null for another credential's secrets. */
function openTold({ credentialId, sealed }: SentSecrets): string[] | null {
  const told = JSON.parse(Buffer.from(sealed, 'hex').toString());
  return told.credentialId === credentialId ? told.secrets : null;
}

/** A prepared call that sends a bearer token. */
export const bearerCall = (url: string, secret: string, credentialId = 5): Prepared => ({
  ok: true,
  method: 'POST',
  url,
  secretHeaders: { authorization: `Bearer ${secret}` },
  credentialId,
  secrets: [secret],
  sealedSecrets: sealTold(credentialId, [secret]),
  tokenId: null,
});

/** A task that calls through the API description 31. */
export const describedCall = (
  name: string,
  fields: { credential?: 'source' | 'destination' | 'none' | number; headers?: Json } = {},
): Task => {
  const { credential, headers } = fields;
  return {
    kind: 'call-api-description',
    name,
    path: `/do/${name}`,
    apiDescriptionId: 31,
    ...(credential === undefined ? {} : { credential }),
    ...(headers === undefined ? {} : { headers: literal(headers) }),
    body: literal({ order: 1 }),
  };
};

/** A task that calls an address without a credential. */
export const plainCall = (
  name: string,
  template: string,
  output: 'content' | 'response' | 'raw' = 'content',
): Task => ({
  kind: 'call-http',
  name,
  path: `/do/${name}`,
  method: 'GET',
  endpoint: { kind: 'uri-template', template },
  output,
});

/** The secret that no run may show. */
export const CANARY = 'canary-4711-secret';

/** What literals and maps of them are. */
function literalOf(template: Template): Json {
  if (template.kind === 'literal') return template.value;
  if (template.kind !== 'map') return null;
  return Object.fromEntries(template.entries.map(([name, value]) => [name, literalOf(value)]));
}

type Options = Parameters<typeof workerOf>[0];

export interface DescribedRuns {
  server: CalledServer;
  /** As new before each test: each call goes to `/orders` of the server, with `CANARY`. */
  connections: ToldConnections;
  /** Starts a worker whose runs call the server. */
  startWorker(tasks: readonly Task[], options?: Options): Promise<RunWorker>;
  /** Runs tasks to their end. */
  runTasks(
    tasks: readonly Task[],
    fields?: Partial<RunDocument>,
    options?: Options,
  ): Promise<RunDocument>;
}

/** Runs of a test file that call a server, through API descriptions as well. */
export function onDescribedRuns(): DescribedRuns {
  const { started } = onRunsDatabase();
  const server = useCalledServer();
  const runs: DescribedRuns = {
    server,
    connections: new ToldConnections(),
    startWorker: (tasks, options) =>
      started(
        workerOf({
          plan: planOf(...tasks),
          outbound: server.client,
          connections: runs.connections,
          evaluator: {
            evaluate: async ({ template }) => literalOf(template),
            test: async () => true,
          },
          ...options,
        }),
      ),
    async runTasks(tasks, fields, options) {
      const run = newRun({ workspaceId: 3, flowId: 301, ...fields });
      await (await runs.startWorker(tasks, options)).store(run, storeRun);
      return endOf(run);
    },
  };
  beforeEach(() => {
    runs.connections = new ToldConnections();
    runs.connections.prepare = () => bearerCall(`${server.url}/orders`, CANARY);
  });
  return runs;
}
