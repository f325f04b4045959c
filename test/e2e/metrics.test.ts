import type { Build } from '../../environment/build.ts';
import { e2e } from '../fixtures/e2e.ts';
import { beginConversation } from '../helpers/conversations.ts';
import { request } from '../helpers/http.ts';
import { type ModelServer, startModelServer } from '../helpers/model-server/model-server.ts';
import { createWorkspace, PASSWORD, register } from '../helpers/people.ts';
import { startProcess, withoutLog } from '../helpers/process.ts';
import { dataFolder } from '../helpers/server.ts';
import { waitFor } from '../helpers/wait.ts';

// biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the flow language
const FLOW = 'do:\n  - one: { set: { sum: "${ 1 + 1 }" } }\n';

const RESTING = 'do:\n  - rest: { wait: { days: 1 } }\n';

let model: ModelServer;
let processes: URL[];

const { server, owner } = e2e({
  async env() {
    model = await startModelServer();
    return {
      METRICS_PORT: '0',
      WORKSPACES_PER_PERSON: '3',
      SIGN_IN_LIMIT: '5/3600',
      ...model.env,
    };
  },
});
beforeAll(() => {
  const lines = server.logLines().filter(({ msg }) => msg === 'Metrics are served');
  processes = lines.map((line) => new URL(String(line.url)));
});

/** What all processes of the service tell. */
async function metrics(): Promise<string> {
  const told = await Promise.all(processes.map(({ origin }) => request(origin, 'GET', '/metrics')));
  return told.map(({ text }) => text).join('\n');
}

/** The sum of a line's values over the processes, or null when none has it. */
function valueIn(text: string, line: string): number | null {
  const found = text.split('\n').filter((one) => one.startsWith(`${line} `));
  if (!found.length) return null;
  return found.reduce((sum, one) => sum + Number(one.slice(line.length + 1)), 0);
}

describe('metrics', () => {
  it('are served on a port of their own, and nothing else is', async () => {
    const { origin } = processes[0] as URL;
    const { status, headers } = await request(origin, 'GET', '/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect((await request(origin, 'GET', '/')).status).toBe(404);
    expect((await request(server.url, 'GET', '/metrics')).status).toBe(404);
  });

  it('tell what runs in each process', async () => {
    const [gateway] = processes as [URL];
    const { text } = await request(gateway.origin, 'GET', '/metrics');
    const { body } = await request<Build>(server.url, 'GET', '/health/live');
    const labels = `version="${body.version}",commit="${body.commit}",node="${process.version}"`;
    expect(valueIn(text, `build_info{${labels}}`)).toBe(1);
  });

  it('count requests by the route as the contract writes it', async () => {
    const workspaceId = await createWorkspace(owner);
    await owner.call('GET', `/workspaces/${workspaceId}`);
    await owner.call('GET', '/workspaces/9999999');
    const text = await metrics();
    const of = (status: number) =>
      `http_request_duration_seconds_count{method="GET",route="/workspaces/:id",status="${status}"}`;
    expect(valueIn(text, of(200))).toBe(1);
    expect(valueIn(text, of(404))).toBe(1);
  });

  it('have no label that a user has written', async () => {
    await request(server.url, 'GET', '/made-up-by-somebody/77?q=made-up');
    await request(server.url, 'PROPFIND', '/made-up');
    const text = await metrics();
    expect(text).not.toContain('made-up');
    const none = 'http_request_duration_seconds_count{method="other",route="none",status="404"}';
    expect(valueIn(text, none)).toBe(1);
  });

  it('count calls by action and what became of them, and commands to the database', async () => {
    const text = await metrics();
    const calls = (action: string, outcome: string) =>
      valueIn(text, `call_duration_seconds_count{action="${action}",outcome="${outcome}"}`);
    expect(calls('workspaces.get', 'ok')).toBeGreaterThan(0);
    expect(calls('workspaces.get', 'refused')).toBeGreaterThan(0);
    const finds = 'mongodb_command_duration_seconds_count{command="find",outcome="ok"}';
    expect(valueIn(text, finds)).toBeGreaterThan(0);
  });

  it('tell of runs, of the children that evaluate for them, and of the event loop', async () => {
    const workspaceId = await createWorkspace(owner);
    const { body } = await owner.call<{ id: number }>('POST', '/flows', {
      body: { workspaceId, name: 'sum', content: FLOW },
    });
    const run = await owner.call<{ status: string }>('POST', `/flows/${body.id}/runs`, {
      query: { wait: 20_000 },
    });
    expect(run.body.status).toBe('SUCCESS');
    const text = await metrics();
    expect(valueIn(text, 'flow_runs_ended_total{status="SUCCESS"}')).toBe(1);
    expect(valueIn(text, 'flow_run_wait_seconds_count')).toBe(1);
    expect(valueIn(text, 'flow_runs_live{status="WAITING"}')).toBe(0);
    expect(valueIn(text, 'flow_run_queue_age_seconds')).toBe(0);
    expect(valueIn(text, 'sandbox_children{pool="runs"}')).toBeGreaterThan(0);
    expect(valueIn(text, 'sandbox_children_busy{pool="runs"}')).toBe(0);
    expect(valueIn(text, 'flow_runs_unmatched')).toBe(0);
    expect(valueIn(text, 'flow_workers_lost_total')).not.toBeNull();
    expect(valueIn(text, 'nodejs_eventloop_lag_p99_seconds')).not.toBeNull();
  });

  it('tell of requests under way by what they do, and of connections, beside their limits', async () => {
    const kinds = ['wait', 'upload', 'download'];
    const before = await metrics();
    for (const kind of kinds) {
      expect(valueIn(before, `http_long_requests_in_flight{kind="${kind}"}`)).toBe(0);
      expect(valueIn(before, `http_long_requests_max{kind="${kind}"}`)).toBeGreaterThan(0);
    }
    const bob = await register(server.url, 'Bob');
    const workspaceId = await createWorkspace(bob);
    const { body } = await bob.call<{ id: number }>('POST', '/flows', {
      body: { workspaceId, name: 'rest', content: RESTING },
    });
    const waiting = bob.call('POST', `/flows/${body.id}/runs`, { query: { wait: 2_000 } });
    const holds = (count: number) =>
      waitFor(`${count} requests under way`, async () => {
        const text = await metrics();
        return (
          valueIn(text, 'http_long_requests_in_flight{kind="wait"}') === count &&
          valueIn(text, 'http_requests_in_flight') === count
        );
      });
    await holds(1);
    expect(valueIn(await metrics(), 'http_connections_open')).toBeGreaterThan(0);
    expect((await waiting).status).toBe(202);
    await holds(0);
    const after = await metrics();
    expect(valueIn(after, 'http_connections_max')).toBeGreaterThan(100);
    expect(valueIn(after, 'http_connections_refused_total')).toBe(0);
  });

  it('tell of the connections to the database', async () => {
    const text = await metrics();
    const [, pool] = /^mongodb_pool_connections\{(pool="[^"]+:\d+")\} [1-9]/m.exec(text) ?? [];
    expect(valueIn(text, `mongodb_pool_wait_seconds_count{${pool},outcome="ok"}`)).toBeGreaterThan(
      0,
    );
    const isIdle = async () => valueIn(await metrics(), `mongodb_pool_waiting{${pool}}`) === 0;
    await waitFor('no command that waits for a connection', isIdle);
  });

  it('count sign-ins by what became of them, and passwords that were compared', async () => {
    const mia = await register(server.url, 'Mia');
    const signIn = (password: string) =>
      request(server.url, 'POST', '/auth/sign-in', { body: { email: mia.email, password } });
    const count = async (line: string) => valueIn(await metrics(), line) ?? 0;
    const compared = 'password_queue_wait_seconds_count{outcome="started"}';
    const before = await count(compared);
    // What has not happened yet is 0 and not missing: alerts look for the first increase.
    for (const outcome of ['limited', 'unavailable']) {
      expect(valueIn(await metrics(), `sign_ins_total{outcome="${outcome}"}`)).toBe(0);
    }
    expect(valueIn(await metrics(), 'password_queue_wait_seconds_count{outcome="refused"}')).toBe(
      0,
    );
    expect((await signIn(PASSWORD)).status).toBe(200);
    expect(await count('sign_ins_total{outcome="succeeded"}')).toBe(1);
    for (let n = 0; n < 3; n++) expect((await signIn('made-up')).status).toBe(401);
    expect(await count('sign_ins_total{outcome="wrong"}')).toBe(3);
    expect((await signIn('made-up')).status).toBe(401);
    expect((await signIn(PASSWORD)).status).toBe(429);
    expect(await count('sign_ins_total{outcome="limited"}')).toBe(1);
    expect(await count(compared)).toBeGreaterThanOrEqual(before + 4);
    expect(await count('password_queue_waiting')).toBe(0);
    expect(await metrics()).not.toContain(mia.email);
  });

  it('count what is refused by a quota', async () => {
    const eve = await register(server.url, 'Eve');
    for (let n = 0; n < 3; n++) await createWorkspace(eve);
    const { status } = await eve.call('POST', '/workspaces', { query: { name: 'One more' } });
    expect(status).toBe(409);
    const refusals = 'quota_refusals_total{quota="WORKSPACES_PER_PERSON"}';
    expect(valueIn(await metrics(), refusals)).toBe(1);
  });

  it('count the requests to webhooks by what became of them, without their URLs', async () => {
    const workspaceId = await createWorkspace(owner);
    const flow = await owner.call<{ id: number }>('POST', '/flows', {
      body: { workspaceId, name: 'hooked', content: FLOW },
    });
    const path = `/flows/${flow.body.id}/webhooks`;
    const hook = await owner.call<{ url: string }>('POST', path);
    const url = hook.body.url.slice(hook.body.url.indexOf('/hooks/'));
    expect((await request(server.url, 'POST', url)).status).toBe(202);
    expect((await request(server.url, 'POST', '/hooks/made-up')).status).toBe(404);
    const text = await metrics();
    expect(valueIn(text, 'webhook_requests_total{outcome="accepted"}')).toBe(1);
    expect(valueIn(text, 'webhook_requests_total{outcome="unknown"}')).toBe(1);
    expect(text).not.toContain(url);
    expect(text).not.toContain('made-up');
  });

  it('count answers of the assistant, and what became of requests to its model', async () => {
    const grace = await register(server.url, 'Grace');
    const workspaceId = await createWorkspace(grace);
    const usage = { inputTokens: 40, outputTokens: 7 };
    const answers = [
      { text: 'Good morning', usage },
      { status: 401, body: 'the key' },
    ];
    const conversation = await beginConversation(grace, workspaceId, model, ...answers);
    for (const _ of answers) await conversation.say('Hello');
    const text = await metrics();
    const requests = 'assistant_model_request_duration_seconds_count';
    expect(valueIn(text, `${requests}{outcome="answered"}`)).toBe(1);
    expect(valueIn(text, `${requests}{outcome="refused"}`)).toBe(1);
    expect(valueIn(text, 'assistant_model_tokens_total{direction="input"}')).toBe(40);
    const ended = 'assistant_answer_duration_seconds_count';
    expect(valueIn(text, `${ended}{status="COMPLETE"}`)).toBe(1);
    expect(valueIn(text, `${ended}{status="FAILED"}`)).toBe(1);
  });

  it('tell of the connection to NATS where there is one', async () => {
    const connected = process.env.TEST_NATS === '1' ? processes.length : null;
    expect(valueIn(await metrics(), 'nats_connected')).toBe(connected);
  });

  it('follow the naming of Prometheus: base units, counters in _total', async () => {
    const text = await metrics();
    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(name).not.toMatch(/_(ms|milliseconds|minutes)$/);
      if (type === 'counter') expect(name).toMatch(/_total$/);
      else expect(name).not.toMatch(/^(?!nodejs_).*_total$/);
    }
  });

  it('refuse a port that is taken in one line', async () => {
    const { port = '' } = processes[0] ?? {};
    const second = startProcess({ DATA_DIR: dataFolder(), METRICS_PORT: port });
    expect(await second.exited).toBe(1);
    expect(withoutLog(second.output())).toMatch(
      new RegExp(`^METRICS_PORT: ${port} cannot be had .+EADDRINUSE.+\\n$`),
    );
  });
});
