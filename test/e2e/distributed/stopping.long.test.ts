import { setTimeout as sleep } from 'node:timers/promises';
import { e2e } from '../../fixtures/e2e.ts';
import { type ProblemBody, request } from '../../helpers/http.ts';
import { waitFor } from '../../helpers/wait.ts';

describe('SIGTERM of a service with a notice', () => {
  const { server } = e2e({ env: { STOP_NOTICE_MS: '4000' } });

  it('is told to load balancers before the port closes, for as long as is set', async () => {
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
});

describe('SIGTERM while the database stands still', () => {
  const { server, database, owner, workspace } = e2e({
    database: true,
    env: { METRICS_PORT: '0' },
  });

  it('answers 504 to what does not end in time, in time', async () => {
    database.process.process.kill('SIGSTOP');
    const body = { title: 'x', description: '' };
    const writing = owner.call<ProblemBody>('POST', workspace.issues, { body });
    const [, metrics = ''] = /"url":"(\S+?)"/.exec(server.output()) ?? [];
    await waitFor('its arrival', async () => {
      const { text } = await request(new URL(metrics).origin, 'GET', '/metrics');
      return /^http_requests_in_flight 1$/m.test(text);
    });
    const exited = server.stop();
    const answer = await writing;
    expect([answer.status, answer.body.code]).toEqual([504, 'DEADLINE_PASSED']);
    expect(await exited).toBe(0);
  });
});
