import { fileForm } from '../helpers/multipart.ts';
import { createWorkspace, type Person, registerVerified } from '../helpers/people.ts';
import type { ServiceProcess } from '../helpers/process.ts';
import { createFlow, type RunAnswer } from '../helpers/runs.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import {
  type Ground,
  groundOf,
  servicesExcept,
  startPart,
  untilReady,
  usersOf,
} from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';
import { LoadBalancer, PROGRAMS, type Program } from './load-balancer.ts';
import { SecureClient } from './secure-client.ts';

const OTHERS = servicesExcept('api');
const MIB = 1024 * 1024;
/** Clients that send one request after the other. */
const CLIENTS = 6;
/** An address of this machine from which a client connects. The gateways trust 127.0.0.1 alone. */
const CLIENT_ADDRESS = '127.0.0.7';

let ground: Ground;
let gateways: ServiceProcess[];
let ada: Person;
let workspaceId: number;

const startGateway = (port = '0') =>
  startPart(ground, 'api', {
    PORT: port,
    PUBLIC_URL: 'https://localhost',
    TRUSTED_PROXIES: '127.0.0.1',
    STOP_NOTICE_MS: '3000', // as in production
  });

beforeAll(async () => {
  ground = await groundOf(dataFolder(), usersOf(['api', OTHERS]));
  startPart(ground, OTHERS, { PUBLIC_URL: 'https://localhost' });
  gateways = [startGateway(), startGateway()];
  const [url = ''] = await Promise.all(gateways.map(({ ready }) => ready));
  await untilReady(url);
  ada = await registerVerified(url);
  workspaceId = await createWorkspace(ada);
});
afterAll(stopServers);

const portOf = async (gateway: ServiceProcess): Promise<string> =>
  new URL(await gateway.listening).port;

describe.each(PROGRAMS)('%s with the configuration of deploy/', (program: Program) => {
  let balancer: LoadBalancer;
  let client: SecureClient;

  beforeAll(async () => {
    const ports = await Promise.all(gateways.map(portOf));
    const addresses = ports.map((port) => `127.0.0.1:${port}`);
    balancer = await LoadBalancer.of(program, dataFolder(), addresses);
    await balancer.start();
    client = new SecureClient(balancer.port, balancer.certificate, CLIENT_ADDRESS);
  });
  afterAll(async () => {
    client.close();
    await balancer.stop();
  });

  it('is accepted by the program without a warning', async () => {
    expect(await balancer.check()).not.toMatch(/warn|alert|emerg/i);
  });

  it('passes requests on, over HTTP/1.1 and HTTP/2', async () => {
    const { status } = await client.request('GET', '/workspaces', { token: ada.token });
    expect(status).toBe(200);
    expect(await client.statusOverHttp2('/health/ready')).toBe(200);
  });

  it('sends who comes without TLS to the address with TLS', async () => {
    const plain = await fetch(`http://127.0.0.1:${balancer.plainPort}/docs?a=b`, {
      redirect: 'manual',
    });
    expect(plain.status).toBe(308);
    expect(plain.headers.get('location')).toMatch(/^https:\/\/127\.0\.0\.1(:\d+)?\/docs\?a=b$/);
  });

  it('tells the gateway the address of the client, whatever the client says', async () => {
    const id = `address-${program}`;
    await client.request('GET', '/health/live', {
      headers: { 'x-request-id': id, 'x-forwarded-for': '203.0.113.9' },
    });
    const line = await waitFor('the line of the request', () =>
      gateways
        .flatMap((gateway) => gateway.output().split('\n'))
        .find((text) => text.includes(`"requestId":"${id}"`)),
    );
    expect(JSON.parse(line)).toMatchObject({ address: CLIENT_ADDRESS });
  });

  it('hands on the events of a stream as they come', async () => {
    const rest = { rest: { wait: { minutes: 10 } } };
    const content = JSON.stringify({ do: [{ first: { set: { a: 1 } } }, rest] });
    const flowId = await createFlow(ada, workspaceId, content);
    const { token } = ada;
    const run = await client.request<RunAnswer>('POST', `/flows/${flowId}/runs`, { token });
    const stream = await client.open('GET', `/flows/runs/${run.body.id}/events`, { token });
    let received = '';
    stream.on('data', (chunk: Buffer) => {
      received += chunk;
    });
    await waitFor('the status of a run that goes on', () => received.includes('WAITING'));
    await client.request('POST', `/flows/runs/${run.body.id}/cancel`, { token });
    await waitFor('the end of the stream', () => stream.complete);
    expect(received).toContain('event: end');
  });

  it('takes a file of 25 MiB', async () => {
    const { token } = ada;
    const conversation = await client.request<{ id: number }>('POST', '/agent/conversations', {
      token,
      body: { workspaceId, title: 'files' },
    });
    expect(conversation).toMatchObject({ status: 201 });
    const { raw, headers } = fileForm(Buffer.alloc(25 * MIB, 'a line of a log\n'), 'a.log');
    const path = `/agent/conversations/${conversation.body.id}/attachments`;
    const { status, body } = await client.request<{ size: number }>('POST', path, {
      token,
      headers,
      body: raw,
    });
    expect({ status, body }).toMatchObject({ status: 201, body: { size: 25 * MIB } });
  });

  it('fails no request while a gateway stops under load, and finds the gateway that comes back', async () => {
    const failed: string[] = [];
    let answered = 0;
    let isOver = false;
    const issues = `/workspaces/${workspaceId}/issues`;
    const send = async (method: string, body?: object): Promise<void> => {
      const answer = await client
        .request(method, issues, { token: ada.token, ...(body ? { body } : {}) })
        .catch((error: Error) => ({ status: error.message }));
      answered += 1;
      if (answer.status !== 200 && answer.status !== 201) failed.push(`${method} ${answer.status}`);
    };
    const load = Array.from({ length: CLIENTS }, async (_, at) => {
      while (!isOver) {
        await (at % 2 ? send('GET') : send('POST', { title: 'load', description: '' }));
      }
    });
    try {
      await waitFor('load', () => answered > 20);
      const [stopping] = gateways;
      if (!stopping) throw new Error('no gateway');
      const port = await portOf(stopping);
      stopping.signal('SIGTERM');
      expect(await stopping.exited).toBe(0);
      const before = answered;
      await waitFor('answers of the other gateway', () => answered > before + 20);
      const again = startGateway(port);
      gateways[0] = again;
      await again.ready;
      await waitFor('a request at the gateway that came back', () =>
        /"route":"[^"]*\/issues"/.test(again.output()),
      );
    } finally {
      isOver = true;
      await Promise.all(load);
    }
    expect(failed).toEqual([]);
  });
});
