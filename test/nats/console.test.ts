import { hostname } from 'node:os';
import { MongoClient } from 'mongodb';
import { REFUSED_COMMANDS } from '../../console/repl-package.ts';
import type { AuditEntry } from '../../contract/audit.ts';
import { Subscriber } from '../e2e/events/subscriber.ts';
import { e2e } from '../fixtures/e2e.ts';
import { consoleOf, typeLines } from '../helpers/console.ts';
import type { Person } from '../helpers/people.ts';
import { getRun, runToEnd, startRun } from '../helpers/runs.ts';
import { groundOf } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

describe('the console alone', () => {
  it('says in one line that it needs NATS_URL', async () => {
    const { code, text } = await typeLines([], undefined);
    expect(text).toBe('NATS_URL: unset, but the console joins the system over NATS.\n');
    expect(code).toBe(1);
  });

  it('says in one line that nobody answers', async () => {
    const { code, text } = await typeLines([], 'nats://127.0.0.1:9');
    expect(text).toMatch(/^NATS_URL: nobody lets us in at 127\.0\.0\.1:9 \(.+\)\.\n$/);
    expect(code).toBe(1);
  });
});

describe('the console of a running system', () => {
  const { server, owner, workspace, receiver } = e2e({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  const type = consoleOf(server);
  let database: MongoClient;
  let guest: Person;
  let flowId: number;

  beforeAll(async () => {
    database = await MongoClient.connect((await groundOf(server.dataDir)).database.uri);
    guest = await workspace.member('GUEST');
    const content = 'do:\n  - one: { set: { a: 1 } }\n  - rest: { wait: { seconds: 600 } }\n';
    flowId = await workspace.flow(content, 'rest');
  });
  afterAll(() => database.close());

  /** A run of the flow that waits. */
  async function restingRun(): Promise<number> {
    const { id } = (await startRun(owner, flowId)).body;
    await waitFor('its rest', async () => (await getRun(owner, id)).status === 'WAITING');
    return id;
  }

  it('is not let in without the credentials', async () => {
    const { nats } = await groundOf(server.dataDir);
    const { host } = new URL(nats.url);
    const { code, text } = await typeLines([], `nats://${host}`);
    expect(text).toMatch(/^NATS_URL: nobody lets us in at .+ \(.*authorization.*\)\.\n$/i);
    expect(code).toBe(1);
  });

  it('calls actions as the operator console, which is what it leaves behind', async () => {
    const { code, text } = await type(
      `call issues.create --workspaceId ${workspace.id} --title 1e3 --description 1.10`,
      `call issues.list --workspaceId ${workspace.id}`,
      `call runs.start --flowId ${flowId}`,
    );
    expect(text).toMatch(/"title": "1e3",\s+"description": "1\.10"/);
    expect(text).toMatch(/"startedBy": \{\s+"type": "operator-console"/);
    expect(code).toBe(0);
    const issues = await owner.call<unknown[]>('GET', workspace.issues);
    expect(issues.body).toHaveLength(1);
    const query = { actorType: 'operator-console' };
    const made = await waitFor('the audit entries', async () => {
      const found = await owner.call<AuditEntry[]>('GET', `${workspace.path}/audit-log`, {
        query,
      });
      return found.body.length === 2 && found.body;
    });
    expect(made.map(({ operation, via }) => `${operation} via ${via}`).sort()).toEqual([
      'issues.create via console',
      'runs.start via console',
    ]);
  });

  it('refuses to call the actions that answer secrets', async () => {
    const names = ['prepareCall', 'openSecrets', 'secretsToMask'];
    const lines = names.map((name) => `call connections.${name} --workspaceId ${workspace.id}`);
    const { code, text } = await type(...lines);
    const refusals = text.match(
      /403 FORBIDDEN: This action answers secrets: only services call it/g,
    );
    expect(refusals).toHaveLength(names.length);
    expect(code).toBe(1);
  });

  it('shows live runs and workers, one run with its steps, and cancels it', async () => {
    const id = await restingRun();
    const { code, text } = await type(
      'workers',
      'runs --live',
      `run ${id}`,
      `cancel ${id}`,
      `cancel ${id}`,
    );
    expect(text).toMatch(new RegExp(`^[0-9a-f]{8} +${hostname()}-\\d+ +beats .* of 48`, 'm'));
    expect(text).toMatch(new RegExp(`^${id} +${workspace.id} +rest +WAITING`, 'm'));
    expect(text).toMatch(new RegExp(`^run ${id}  WAITING  flow ${flowId} "rest"`, 'm'));
    expect(text).toMatch(/\/do\/0\/one .* SUCCESS/);
    expect(text).toContain(`run ${id} is cancelled`);
    expect(text).toContain('409 RUN_ENDED: The run has ended: CANCELLED.');
    expect(code).toBe(1); // the second cancel was refused
  });

  it('says of a run that does not go on why, and cancels it', async () => {
    const id = await restingRun();
    const damaged = { createdAt: new Date(Date.now() - 60_000), ready: true, readyAt: 'now' };
    await database
      .db()
      .collection<{ _id: number }>('runs')
      .updateOne({ _id: id }, { $set: damaged, $unset: { wakeAt: 1 } });
    const { code, stdout } = await type(
      `runs --stuck --workspace ${workspace.id}`,
      `cancel ${id}`,
      'runs --stuck',
    );
    expect(stdout).toMatch(
      new RegExp(
        `^${id} +${workspace.id} +rest +WAITING +1 min \\d+ s +it matches no claim; readyAt is "now", where`,
        'm',
      ),
    );
    expect(stdout).toMatch(new RegExp(`^run ${id} is cancelled\\nno stuck runs$`, 'm'));
    expect(code).toBe(0);
  });

  it('lists schedules of a flow with their next time, and none as late', async () => {
    const policies = { misfire: 'SKIP', overlap: 'ALLOW' };
    const body = { cron: '0 6 1 1 *', timeZone: 'Europe/Berlin', ...policies };
    const made = await owner.call<{ id: number }>('POST', `/flows/${flowId}/schedules`, { body });
    expect(made.status).toBe(201);
    const { code, text } = await type(
      `schedules --flow ${flowId}`,
      `schedules --workspace ${workspace.id} --late`,
    );
    expect(text).toMatch(
      new RegExp(
        `^${made.body.id} +${workspace.id} +${flowId} +0 6 1 1 \\* Europe/Berlin +yes +in `,
        'm',
      ),
    );
    expect(text).toContain('no schedules');
    expect(code).toBe(0);
    expect((await type('schedules --flow x')).text).toContain('flow must be an id');
  });

  it('lists subscriptions that fail and their deliveries, and replays them', async () => {
    let isDown = true;
    receiver.reply = (_event, response) => {
      response.statusCode = isDown ? 500 : 200;
      response.end();
    };
    const subscriber = new Subscriber(owner, workspace.id);
    const { id } = await subscriber.subscribe(`${receiver.origin}/secret-path`, ['issue.created']);
    await subscriber.raise('A tooth is loose');
    const attempted = await waitFor('the first attempt', async () =>
      (await subscriber.deliveries({ id })).find(({ attempts }) => attempts > 0),
    );
    const failing = await waitFor('the failing subscription', async () => {
      const { text } = await type('deliveries');
      return text.includes(`${id} `) && text;
    });
    expect(failing).toMatch(new RegExp(`^${id} +${workspace.id} +${receiver.origin} +yes `, 'm'));
    expect(failing).not.toContain('secret-path');
    const one = await type(`deliveries --subscription ${id} --status pending`);
    expect(one.text).toMatch(
      new RegExp(`^${attempted.id} +issue\\.created +issue \\d+ +PENDING +\\d+ +500 `, 'm'),
    );
    isDown = false;
    await waitFor('the delivery', async () =>
      (await subscriber.deliveries({ id })).find(({ status }) => status === 'DELIVERED'),
    );
    const received = receiver.received.length;
    const none = await type(
      `replay --subscription ${id} --status delivered --to 2026-01-31T09:30Z`,
      `replay --subscription ${id} --from 2026-02-01 --to 2026-01-31`,
      `replay --subscription ${id} --from yesterday`,
      `replay ${attempted.id} --from 2026-01-31`,
    );
    expect(none.text).toContain(`0 deliveries are sent again to subscription ${id}`);
    expect(none.text).toContain('body from: must not be after `to`');
    expect(none.text).toContain('from must be a day or a time, as 2026-01-31');
    expect(none.text).toContain('--from needs --subscription');
    const replayed = await type(
      `replay --subscription ${id}`,
      `replay --subscription ${id} --status DELIVERED --from ${attempted.createdAt}`,
      `replay 123456789`,
      `replay`,
      `replay --subscription ${id} --status PENDING`,
    );
    expect(replayed.text).toContain(`0 deliveries are sent again to subscription ${id}`);
    expect(replayed.text).toContain(`1 deliveries are sent again to subscription ${id}`);
    expect(replayed.text).toMatch(/404 NOT_FOUND: There is no delivery 123456789/);
    expect(replayed.text).toContain('Either replay <id>');
    expect(replayed.text).toContain('status must be one of DELIVERED, FAILED.');
    await waitFor('the replayed delivery', () => receiver.received.length > received);
    expect((await type(`replay ${attempted.id}`)).text).toContain(
      `delivery ${attempted.id} is PENDING`,
    );
  });

  it('prints results alone when lines are piped in', async () => {
    const lines = ['mails', 'schedules --flow 123456789', `call runs.list --flowId ${flowId}`];
    const { stdout, stderr, code } = await type(...lines);
    const [mails, schedules, ...json] = stdout.split('\n');
    expect([mails, schedules, stderr, code]).toEqual(['no failed mails', 'no schedules', '', 0]);
    expect(JSON.parse(json.join('\n'))).toHaveProperty('items');
  });

  it('prints failures on stderr, one line each, and goes on', async () => {
    const lines = [
      'workrs',
      'cancel',
      'runs --stat FAILED',
      'runs',
      'runs --status FAILD',
      `call issues.lst --workspaceId ${workspace.id}`,
      'call issues.get {"workspaceId": 1, issueId: 2}',
      'call issues.get {"workspaceId":',
      'call issues.get 7',
      'call issues.get --load /nowhere.json',
      'verify nobody@example.com',
      'mails',
    ];
    const { stdout, stderr, code } = await type(...lines);
    expect(stdout).toBe('no failed mails\n');
    expect(stderr.split('\n')).toEqual([
      "unknown command 'workrs' (Did you mean workers?)",
      "missing required argument 'id'",
      "unknown option '--stat' (Did you mean --status?)",
      'Either runs --live, runs --stuck, or runs with --status, --workspace or --flow.',
      expect.stringMatching(/^status must be one of QUEUED, .*, TIMED_OUT\.$/),
      'There is no action issues.lst. Did you mean issues.list or issues.get?',
      'the parameters: expected a name in double quotes at position 20, not "issueId: 2}".',
      'the parameters: expected a value at position 16, not the end.',
      'the parameters: expected --name value for each parameter, or one JSON object {…}.',
      '/nowhere.json cannot be read (ENOENT).',
      'There is no user with the address nobody@example.com.',
      '',
    ]);
    expect(code).toBe(1);
  });

  it('has no command that would harm a live system, neither in its help nor when typed', async () => {
    const refused = Object.keys(REFUSED_COMMANDS);
    const { stdout, stderr } = await type('help', ...refused, 'help destroy');
    for (const name of [...refused, 'help', 'verify', 'nodes']) {
      expect([name, new RegExp(`^  ${name}\\b`, 'm').test(stdout)]).toEqual([
        name,
        !refused.includes(name),
      ]);
    }
    const failures = stderr.trimEnd().split('\n');
    expect(failures).toHaveLength(refused.length + 1);
    for (const line of failures) expect(line).toMatch(/^\w+ is no command of this console: /);
  });

  it('executes no line after the one that leaves', async () => {
    expect(await type('exit', 'mails', 'workrs')).toMatchObject({
      code: 0,
      text: '',
    });
    expect(await type('workrs', 'quit', 'mails')).toMatchObject({
      code: 1,
      stdout: '',
    });
  });

  it('shows each process with its services', async () => {
    const { stdout, code } = await type('nodes');
    expect(stdout).toMatch(new RegExp(`^${hostname()} +${server.pid} +up .* ago +`, 'm'));
    expect(stdout).toMatch(/^host +pid +state +version +commit +up for +heartbeat +services$/m);
    expect(code).toBe(0);
  });

  it('finds runs by status, workspace and flow', async () => {
    const content =
      'do:\n  - fail: { raise: { error: { type: https://example.com/errors/no-tea, status: 400, title: No tea } } }\n';
    const broken = await workspace.flow(content, 'broken');
    const failed = await runToEnd(owner, broken);
    expect(failed.status).toBe('FAILED');
    const row = new RegExp(`^${failed.id} +${workspace.id} +broken +FAILED .* No tea$`, 'gm');
    const others = { workspace: workspace.id + 1_000_000, flow: broken + 1_000_000 };
    const finding = [
      'runs --status failed',
      `runs --status FAILED,TIMED_OUT --workspace ${workspace.id} --limit 1`,
      `runs --workspace ${workspace.id}`,
      `runs --flow ${broken}`,
      `runs --flow ${broken} --workspace ${workspace.id} --status FAILED`,
    ];
    const found = await type(...finding);
    expect(found.stdout.match(row)).toHaveLength(finding.length);
    const missing = [
      `runs --workspace ${workspace.id} --status SUCCESS`,
      `runs --workspace ${others.workspace} --status FAILED`,
      `runs --flow ${others.flow}`,
      `runs --flow ${broken} --workspace ${others.workspace}`,
    ];
    const none = await type(...missing, `runs --live --workspace ${others.workspace}`);
    expect(none.stdout.match(/^no runs$/gm)).toHaveLength(missing.length);
    expect(none.stdout).not.toMatch(/broken|rest/);
  });

  it('lists failed mails, and says why one is not sent again', async () => {
    const { code, text } = await type('mails', 'resend 123456789');
    expect(text).toContain('no failed mails');
    expect(text).toContain('404 NOT_FOUND: There is no mail 123456789.');
    expect(code).toBe(1);
  });

  it('acts as a user, with that user’s rights alone, until it is itself again', async () => {
    const { text } = await type(
      `caller ${guest.id}`,
      `call runs.start --flowId ${flowId}`,
      'call runs.listWorkers',
      'caller console',
      `call issues.list --workspaceId ${workspace.id + 1_000_000}`,
      'caller 123456789',
    );
    expect(text).toContain(`calls go out as user:${guest.id} (GUEST Lovelace)`);
    expect(text).toContain('403 FORBIDDEN: The role GUEST may not do this');
    expect(text).toContain('403 FORBIDDEN: This caller may not do this.');
    expect(text).toContain('calls go out as operator-console');
    expect(text).toContain('There is no user 123456789.');
  });

  it('explains who may do what', async () => {
    const { text } = await type(
      `explain ${owner.id} runs.start ${workspace.id}`,
      `explain ${guest.id} runs.start ${workspace.id}`,
      `explain ${guest.id} runs.start ${workspace.id + 1_000_000}`,
      `explain ${guest.id} runs.statistics ${workspace.id + 1_000_000}`,
      `explain ${guest.id} runs.nothing ${workspace.id}`,
      `explain x runs.start ${workspace.id}`,
    );
    expect(text).toContain('ALLOWED  runs.start: OWNER is one of OWNER, ADMIN, MEMBER, AGENT.');
    expect(text).toContain('NOT ALLOWED  runs.start: GUEST is none of');
    expect(text).toContain('has no role in workspace');
    expect(text).toContain(`NOT ALLOWED  runs.statistics: user ${guest.id} has no role`);
    expect(text).toContain('There is no action runs.nothing. runs has runs.start');
    expect(text).toContain('userId must be an id');
  });

  it.each([
    ['workers', 0],
    ['workrs', 1],
    ['cancel', 1],
    ['runs --live --flow 1', 1],
    ['runs --live --stuck', 1],
    ['caller 123456789\nworkers', 1],
    ['call issues.get {"workspaceId":', 1],
    ['bench issues.list', 1],
  ])('ends with what a script can ask for: %j %i', async (lines, expected) => {
    expect(await type(lines)).toMatchObject({ code: expected });
  });

  it('says which field is wrong', async () => {
    const { text } = await type('call issues.get --workspaceId 1 --issueId x');
    expect(text).toContain('400 INVALID_REQUEST');
    expect(text).toContain('path issueId: must be an id');
  });
});
