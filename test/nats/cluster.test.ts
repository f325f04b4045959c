import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionOf } from '@workspace-automation/moleculer-nats';
import { connect } from 'nats';
import { NatsCluster } from '../helpers/nats-cluster.ts';
import { createWorkspace, type Person, register } from '../helpers/people.ts';
import { startProcess } from '../helpers/process.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { servicesExcept, startDatabase, untilReady, usersOf } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

const OTHERS = servicesExcept('api');
const NODES = ['api', OTHERS];
/** Milliseconds between two requests of a client. */
const PACE_MS = 50;
/** Milliseconds beyond which a client has waited too long for an answer, whatever it is. */
const ANSWER_WITHIN_MS = 40_000;

const dataDir = dataFolder();
let cluster: NatsCluster;
let ada: Person;
let issues: string;

beforeAll(async () => {
  cluster = await NatsCluster.start(dataFolder(), await usersOf(NODES));
  const { uri } = await startDatabase(dataDir);
  const [gateway] = NODES.map((services) =>
    startProcess({
      DATA_DIR: dataDir,
      MONGODB_URI: uri,
      SERVICES: services,
      NATS_URL: cluster.urlOf(services.replaceAll(',', '-')),
      NATS_CA_FILE: cluster.authorityFile,
    }),
  );
  const url = (await gateway?.ready) ?? '';
  await untilReady(url);
  ada = await register(url);
  issues = `/workspaces/${await createWorkspace(ada)}/issues`;
});
afterAll(async () => {
  await stopServers();
  await cluster.stop();
});

const authority = (): string => readFileSync(cluster.authorityFile, 'utf8');

describe('a cluster of three nats-servers with the configuration of deploy/', () => {
  it('carries what is sent to one server to the others', async () => {
    const clients = await Promise.all(
      [0, 1, 2].map((index) => connect(connectionOf(cluster.urlAt(index), authority()))),
    );
    const received: number[] = [];
    clients.forEach((client, index) => {
      client.subscribe('test.cluster', { callback: () => void received.push(index) });
    });
    await Promise.all(clients.map((client) => client.flush()));
    await waitFor('the message at all servers', () => {
      received.length = 0;
      clients[0]?.publish('test.cluster');
      return sleep(100).then(() => received.toSorted().join() === '0,1,2');
    });
    await Promise.all(clients.map((client) => client.close()));
  });

  it('lets nobody in without TLS, and is believed by nobody who does not know its authority', async () => {
    const url = cluster.urlAt(0);
    await expect(connect(connectionOf(url))).rejects.toThrow(/self.signed|unable to/i);
    await expect(connect({ ...connectionOf(url), tls: null, timeout: 2_000 })).rejects.toThrow();
  });

  it.each([0, 1, 2])(
    'loses server %i, and requests go on: answered or 503, and soon again',
    async (index) => {
      const answers: { status: number; code?: string; ms: number }[] = [];
      let isOver = false;
      const load = Array.from({ length: 4 }, async (_, at) => {
        while (!isOver) {
          const begun = performance.now();
          const { status, body } = await (at % 2
            ? ada.call<{ code?: string }>('GET', issues)
            : ada.call<{ code?: string }>('POST', issues, {
                body: { title: 'x', description: '' },
              }));
          answers.push({
            status,
            ...(body.code ? { code: body.code } : {}),
            ms: performance.now() - begun,
          });
          await sleep(PACE_MS);
        }
      });
      try {
        await waitFor('requests', () => answers.length > 8);
        await cluster.killServer(index);
        const killedAt = answers.length;
        await waitFor(
          'requests that succeed without it',
          () => answers.slice(killedAt).filter(({ status }) => status < 300).length > 20,
        );
        await cluster.startServer(index);
        const backAt = answers.length;
        await waitFor(
          'requests that succeed with it',
          () => answers.slice(backAt).filter(({ status }) => status < 300).length > 8,
        );
      } finally {
        isOver = true;
        await Promise.all(load);
      }
      const failed = answers.filter(({ status }) => status >= 300);
      for (const { status } of failed) expect([503, 504]).toContain(status);
      expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(ANSWER_WITHIN_MS);
    },
  );
});
