import { setTimeout as sleep } from 'node:timers/promises';
import type { ProblemBody } from '../../helpers/http.ts';
import { request } from '../../helpers/http.ts';
import { createWorkspace, register } from '../../helpers/people.ts';
import { startProcess } from '../../helpers/process.ts';
import { dataFolder, startServer, stopServers } from '../../helpers/server.ts';
import { startDatabase } from '../../helpers/spread.ts';
import { waitFor } from '../../helpers/wait.ts';

afterAll(stopServers);

describe('SIGTERM', () => {
  it('is told to load balancers before the port closes, for as long as is set', async () => {
    const server = await startServer({ env: { STOP_NOTICE_MS: '4000' } });
    server.signal('SIGTERM');
    await sleep(1_000); // longer than unless set
    const { status, body } = await request<ProblemBody & { dependencies: object }>(
      server.url,
      'GET',
      '/health/ready',
    );
    expect([status, body.code, body.detail]).toEqual([
      503,
      'NOT_READY',
      'The process is stopping.',
    ]);
    expect(body.dependencies).toMatchObject({ database: 'up' });
    expect(await server.exited).toBe(0);
  });

  it('answers 504 to what does not end in time, in time', async () => {
    const database = await startDatabase(dataFolder());
    const part = startProcess({
      DATA_DIR: dataFolder(),
      MONGODB_URI: database.uri,
      METRICS_PORT: '0',
    });
    const url = (await part.ready) ?? '';
    const owner = await register(url);
    const issues = `/workspaces/${await createWorkspace(owner)}/issues`;
    database.process.kill('SIGSTOP');
    const writing = owner.call<ProblemBody>('POST', issues, {
      body: { title: 'x', description: '' },
    });
    const [, metrics = ''] = /"url":"(\S+?)"/.exec(part.output()) ?? [];
    await waitFor('its arrival', async () => {
      const { text } = await request(new URL(metrics).origin, 'GET', '/metrics');
      return /^http_requests_in_flight 1$/m.test(text);
    });
    part.signal('SIGTERM');
    const { status, body } = await writing;
    expect([status, body.code]).toEqual([504, 'DEADLINE_PASSED']);
    expect(await part.exited).toBe(0);
  });
});
