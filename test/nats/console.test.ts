import { hostname } from 'node:os';
import { MongoClient } from 'mongodb';
import { REFUSED_COMMANDS } from '../../console/repl-package.ts';
import type { AuditEntry } from '../../contract/audit.ts';
import { CONSOLE } from '../../deploy/nats-passwords.ts';
import { Subscriber } from '../e2e/events/subscriber.ts';
import { typeLines } from '../helpers/console.ts';
import { EventReceiver } from '../helpers/event-receiver.ts';
import { addMember, createWorkspace, type Person, registerVerified } from '../helpers/people.ts';
import { getRun } from '../helpers/runs.ts';
import { dataFolder, startServer, stopServers, type TestServer } from '../helpers/server.ts';
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
  let nats: { url: string };
  let database: MongoClient;
  let server: TestServer;
  let owner: Person;
  let guest: Person;
  let workspaceId: number;
  let flowId: number;
  let receiver: EventReceiver;

  beforeAll(async () => {
    receiver = await EventReceiver.start();
    const dataDir = dataFolder();
    server = await startServer({ dataDir, env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
    const ground = await groundOf(dataDir);
    nats = { url: ground.nats.urlOf(CONSOLE) };
    database = await MongoClient.connect(ground.database.uri);
    owner = await registerVerified(server.url);
    workspaceId = await createWorkspace(owner);
    guest = await addMember(server.url, owner, workspaceId, 'GUEST');
    const content = 'do:\n  - one: { set: { a: 1 } }\n  - rest: { wait: { seconds: 600 } }\n';
    const { body } = await owner.call<{ id: number }>('POST', '/flows', {
      body: { workspaceId, name: 'rest', content },
    });
    flowId = body.id;
  });
  afterAll(async () => {
    await database.close();
    await receiver.stop();
    await stopServers();
  });

  it('is not let in without the credentials', async () => {
    const { host } = new URL(nats.url);
    const { code, text } = await typeLines([], `nats://${host}`);
    expect(text).toMatch(/^NATS_URL: nobody lets us in at .+ \(.*authorization.*\)\.\n$/i);
    expect(code).toBe(1);
  });

  it('calls actions as the operator console, which is what it leaves behind', async () => {
    const { code, text } = await typeLines(
      [
        `call issues.create --workspaceId ${workspaceId} --title 1e3 --description 1.10`,
        `call issues.list --workspaceId ${workspaceId}`,
        `call runs.start --flowId ${flowId}`,
      ],
      nats.url,
    );
    expect(text).toMatch(/"title": "1e3",\s+"description": "1\.10"/);
    expect(text).toMatch(/"startedBy": \{\s+"type": "operator-console"/);
    expect(code).toBe(0);
    const issues = await owner.call<unknown[]>('GET', `/workspaces/${workspaceId}/issues`);
    expect(issues.body).toHaveLength(1);
    const query = { actorType: 'operator-console' };
    const made = await waitFor('the audit entries', async () => {
      const found = await owner.call<AuditEntry[]>('GET', `/workspaces/${workspaceId}/audit-log`, {
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
    const lines = names.map((name) => `call connections.${name} --workspaceId ${workspaceId}`);
    const { code, text } = await typeLines(lines, nats.url);
    const refusals = text.match(
      /403 FORBIDDEN: This action answers secrets: only services call it/g,
    );
    expect(refusals).toHaveLength(names.length);
    expect(code).toBe(1);
  });

  it('shows live runs and workers, one run with its steps, and cancels it', async () => {
    const started = await owner.call<{ id: number }>('POST', `/flows/${flowId}/runs`);
    const { id } = started.body;
    await waitFor('its rest', async () => (await getRun(owner, id)).status === 'WAITING');
    const { code, text } = await typeLines(
      ['workers', 'runs --live', `run ${id}`, `cancel ${id}`, `cancel ${id}`],
      nats.url,
    );
    expect(text).toMatch(new RegExp(`^[0-9a-f]{8} +${hostname()}-\\d+ +beats .* of 48`, 'm'));
    expect(text).toMatch(new RegExp(`^${id} +${workspaceId} +rest +WAITING`, 'm'));
    expect(text).toMatch(new RegExp(`^run ${id}  WAITING  flow ${flowId} "rest"`, 'm'));
    expect(text).toMatch(/\/do\/0\/one .* SUCCESS/);
    expect(text).toContain(`run ${id} is cancelled`);
    expect(text).toContain('409 RUN_ENDED: The run has ended: CANCELLED.');
    expect(code).toBe(1); // the second cancel was refused
  });

  it('says of a run that does not go on why, and cancels it', async () => {
    const { body } = await owner.call<{ id: number }>('POST', `/flows/${flowId}/runs`);
    await waitFor('its rest', async () => (await getRun(owner, body.id)).status === 'WAITING');
    const damaged = { createdAt: new Date(Date.now() - 60_000), ready: true, readyAt: 'now' };
    await database
      .db()
      .collection<{ _id: number }>('runs')
      .updateOne({ _id: body.id }, { $set: damaged, $unset: { wakeAt: 1 } });
    const { code, stdout } = await typeLines(
      [`runs --stuck --workspace ${workspaceId}`, `cancel ${body.id}`, 'runs --stuck'],
      nats.url,
    );
    expect(stdout).toMatch(
      new RegExp(
        `^${body.id} +${workspaceId} +rest +WAITING +1 min \\d+ s +it matches no claim; readyAt is "now", where`,
        'm',
      ),
    );
    expect(stdout).toMatch(new RegExp(`^run ${body.id} is cancelled\\nno stuck runs$`, 'm'));
    expect(code).toBe(0);
  });

  it('lists schedules of a flow with their next time, and none as late', async () => {
    const policies = { misfire: 'SKIP', overlap: 'ALLOW' };
    const body = { cron: '0 6 1 1 *', timeZone: 'Europe/Berlin', ...policies };
    const made = await owner.call<{ id: number }>('POST', `/flows/${flowId}/schedules`, { body });
    expect(made.status).toBe(201);
    const { code, text } = await typeLines(
      [`schedules --flow ${flowId}`, `schedules --workspace ${workspaceId} --late`],
      nats.url,
    );
    expect(text).toMatch(
      new RegExp(
        `^${made.body.id} +${workspaceId} +${flowId} +0 6 1 1 \\* Europe/Berlin +yes +in `,
        'm',
      ),
    );
    expect(text).toContain('no schedules');
    expect(code).toBe(0);
    expect((await typeLines(['schedules --flow x'], nats.url)).text).toContain(
      'flow must be an id',
    );
  });

  it('lists subscriptions that fail and their deliveries, and replays them', async () => {
    let isDown = true;
    receiver.reply = (_event, response) => {
      response.statusCode = isDown ? 500 : 200;
      response.end();
    };
    const subscriber = new Subscriber(owner, workspaceId);
    const { id } = await subscriber.subscribe(`${receiver.origin}/secret-path`, ['issue.created']);
    await subscriber.raise('A tooth is loose');
    const attempted = await waitFor('the first attempt', async () =>
      (await subscriber.deliveries({ id })).find(({ attempts }) => attempts > 0),
    );
    const failing = await waitFor('the failing subscription', async () => {
      const { text } = await typeLines(['deliveries'], nats.url);
      return text.includes(`${id} `) && text;
    });
    expect(failing).toMatch(new RegExp(`^${id} +${workspaceId} +${receiver.origin} +yes `, 'm'));
    expect(failing).not.toContain('secret-path');
    const one = await typeLines([`deliveries --subscription ${id} --status pending`], nats.url);
    expect(one.text).toMatch(
      new RegExp(`^${attempted.id} +issue\\.created +issue \\d+ +PENDING +\\d+ +500 `, 'm'),
    );
    isDown = false;
    await waitFor('the delivery', async () =>
      (await subscriber.deliveries({ id })).find(({ status }) => status === 'DELIVERED'),
    );
    const received = receiver.received.length;
    const none = await typeLines(
      [
        `replay --subscription ${id} --status delivered --to 2026-01-31T09:30Z`,
        `replay --subscription ${id} --from 2026-02-01 --to 2026-01-31`,
        `replay --subscription ${id} --from yesterday`,
        `replay ${attempted.id} --from 2026-01-31`,
      ],
      nats.url,
    );
    expect(none.text).toContain(`0 deliveries are sent again to subscription ${id}`);
    expect(none.text).toContain('body from: must not be after `to`');
    expect(none.text).toContain('from must be a day or a time, as 2026-01-31');
    expect(none.text).toContain('--from needs --subscription');
    const replayed = await typeLines(
      [
        `replay --subscription ${id}`,
        `replay --subscription ${id} --status DELIVERED --from ${attempted.createdAt}`,
        `replay 123456789`,
        `replay`,
        `replay --subscription ${id} --status PENDING`,
      ],
      nats.url,
    );
    expect(replayed.text).toContain(`0 deliveries are sent again to subscription ${id}`);
    expect(replayed.text).toContain(`1 deliveries are sent again to subscription ${id}`);
    expect(replayed.text).toMatch(/404 NOT_FOUND: There is no delivery 123456789/);
    expect(replayed.text).toContain('Either replay <id>');
    expect(replayed.text).toContain('status must be one of DELIVERED, FAILED.');
    await waitFor('the replayed delivery', () => receiver.received.length > received);
    expect((await typeLines([`replay ${attempted.id}`], nats.url)).text).toContain(
      `delivery ${attempted.id} is PENDING`,
    );
  });

  it('prints results alone when lines are piped in', async () => {
    const lines = ['mails', 'schedules --flow 123456789', `call runs.list --flowId ${flowId}`];
    const { stdout, stderr, code } = await typeLines(lines, nats.url);
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
      `call issues.lst --workspaceId ${workspaceId}`,
      'call issues.get {"workspaceId": 1, issueId: 2}',
      'call issues.get {"workspaceId":',
      'call issues.get 7',
      'call issues.get --load /nowhere.json',
      'verify nobody@example.com',
      'mails',
    ];
    const { stdout, stderr, code } = await typeLines(lines, nats.url);
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
    const { stdout, stderr } = await typeLines(['help', ...refused, 'help destroy'], nats.url);
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
    expect(await typeLines(['exit', 'mails', 'workrs'], nats.url)).toMatchObject({
      code: 0,
      text: '',
    });
    expect(await typeLines(['workrs', 'quit', 'mails'], nats.url)).toMatchObject({
      code: 1,
      stdout: '',
    });
  });

  it('shows each process with its services', async () => {
    const { stdout, code } = await typeLines(['nodes'], nats.url);
    expect(stdout).toMatch(new RegExp(`^${hostname()} +${server.pid} +up .* ago +`, 'm'));
    expect(stdout).toMatch(/^host +pid +state +version +commit +up for +heartbeat +services$/m);
    expect(code).toBe(0);
  });

  it('finds runs by status, workspace and flow', async () => {
    const content =
      'do:\n  - fail: { raise: { error: { type: https://example.com/errors/no-tea, status: 400, title: No tea } } }\n';
    const flow = await owner.call<{ id: number }>('POST', '/flows', {
      body: { workspaceId, name: 'broken', content },
    });
    const { body: failed } = await owner.call<{ id: number; status: string }>(
      'POST',
      `/flows/${flow.body.id}/runs`,
      { query: { wait: 20_000 } },
    );
    expect(failed.status).toBe('FAILED');
    const row = new RegExp(`^${failed.id} +${workspaceId} +broken +FAILED .* No tea$`, 'gm');
    const others = { workspace: workspaceId + 1_000_000, flow: flow.body.id + 1_000_000 };
    const finding = [
      'runs --status failed',
      `runs --status FAILED,TIMED_OUT --workspace ${workspaceId} --limit 1`,
      `runs --workspace ${workspaceId}`,
      `runs --flow ${flow.body.id}`,
      `runs --flow ${flow.body.id} --workspace ${workspaceId} --status FAILED`,
    ];
    const found = await typeLines(finding, nats.url);
    expect(found.stdout.match(row)).toHaveLength(finding.length);
    const missing = [
      `runs --workspace ${workspaceId} --status SUCCESS`,
      `runs --workspace ${others.workspace} --status FAILED`,
      `runs --flow ${others.flow}`,
      `runs --flow ${flow.body.id} --workspace ${others.workspace}`,
    ];
    const none = await typeLines(
      [...missing, `runs --live --workspace ${others.workspace}`],
      nats.url,
    );
    expect(none.stdout.match(/^no runs$/gm)).toHaveLength(missing.length);
    expect(none.stdout).not.toMatch(/broken|rest/);
  });

  it('lists failed mails, and says why one is not sent again', async () => {
    const { code, text } = await typeLines(['mails', 'resend 123456789'], nats.url);
    expect(text).toContain('no failed mails');
    expect(text).toContain('404 NOT_FOUND: There is no mail 123456789.');
    expect(code).toBe(1);
  });

  it('acts as a user, with that user’s rights alone, until it is itself again', async () => {
    const { text } = await typeLines(
      [
        `caller ${guest.id}`,
        `call runs.start --flowId ${flowId}`,
        'call runs.listWorkers',
        'caller console',
        `call issues.list --workspaceId ${workspaceId + 1_000_000}`,
        'caller 123456789',
      ],
      nats.url,
    );
    expect(text).toContain(`calls go out as user:${guest.id} (GUEST Lovelace)`);
    expect(text).toContain('403 FORBIDDEN: The role GUEST may not do this');
    expect(text).toContain('403 FORBIDDEN: This caller may not do this.');
    expect(text).toContain('calls go out as operator-console');
    expect(text).toContain('There is no user 123456789.');
  });

  it('explains who may do what', async () => {
    const { text } = await typeLines(
      [
        `explain ${owner.id} runs.start ${workspaceId}`,
        `explain ${guest.id} runs.start ${workspaceId}`,
        `explain ${guest.id} runs.start ${workspaceId + 1_000_000}`,
        `explain ${guest.id} runs.statistics ${workspaceId + 1_000_000}`,
        `explain ${guest.id} runs.nothing ${workspaceId}`,
        `explain x runs.start ${workspaceId}`,
      ],
      nats.url,
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
    expect(await typeLines([lines], nats.url)).toMatchObject({ code: expected });
  });

  it('says which field is wrong', async () => {
    const { text } = await typeLines(['call issues.get --workspaceId 1 --issueId x'], nats.url);
    expect(text).toContain('400 INVALID_REQUEST');
    expect(text).toContain('path issueId: must be an id');
  });
});
