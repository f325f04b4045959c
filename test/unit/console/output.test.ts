import { fitArguments } from '../../../console/arguments.ts';
import { showUnlocked } from '../../../console/commands/accounts.ts';
import { showDeliveries, showFailing } from '../../../console/commands/deliveries.ts';
import { showMails } from '../../../console/commands/mails.ts';
import { showNodes } from '../../../console/commands/nodes.ts';
import { showRun } from '../../../console/commands/run.ts';
import { showFound, showLive, showStuck } from '../../../console/commands/runs.ts';
import { showSchedules } from '../../../console/commands/schedules.ts';
import { showWorkers } from '../../../console/commands/workers.ts';
import { completions } from '../../../console/completion.ts';
import { parseTime } from '../../../console/delivery-filters.ts';
import { formatError } from '../../../console/error-text.ts';
import { Output, withoutSteering } from '../../../console/output.ts';
import { duration, table } from '../../../console/table.ts';
import { invalidField, NotFound, Problem } from '../../../contract/problem.ts';
import { contracts } from '../../../services/contracts.ts';
import { deliveryExample } from '../../../services/events/contract/examples.ts';
import {
  executionExample,
  runExample,
  stepExample,
} from '../../../services/runs/contract/examples.ts';
import type { Execution, Run, StepSummary } from '../../../services/runs/contract/resources.ts';

describe('tables', () => {
  it('are as wide as their values, and show nothing as a dash', () => {
    expect(
      table(
        ['id', 'name'],
        [
          [1, null],
          [22, 'Ada'],
        ],
      ),
    ).toBe('id  name\n1   -\n22  Ada');
  });

  it('do not let a value steer the terminal', () => {
    expect(table(['name'], [['\u001b[2Jgone\r\n']])).toBe('name\n [2Jgone');
  });

  it.each([
    [870, '870 ms'],
    [4_230, '4.2 s'],
    [185_000, '3 min 5 s'],
    [7_800_000, '2 h 10 min'],
  ])('say %i ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe('the output', () => {
  const hostile = 'a\u001b]0;x\u0007\u009b2J\r\u202eb';
  const harmless = String.raw`a\u001b]0;x\u0007\u009b2J\u000d\u202eb`;

  it('has no text that steers the terminal, on stdout and on stderr', () => {
    const [stdout, stderr] = [process.stdout, process.stderr].map((stream) =>
      jest.spyOn(stream, 'write').mockReturnValue(true),
    );
    const output = new Output();
    output.print(`${hostile}\n\tnext`);
    output.fail(hostile);
    expect(stdout?.mock.calls).toEqual([[`${harmless}\n\tnext\n`]]);
    expect(stderr?.mock.calls).toEqual([[`${harmless}\n`]]);
    jest.restoreAllMocks();
  });

  it('has JSON of the same value', () => {
    const text = withoutSteering(JSON.stringify({ name: hostile }, null, 2));
    expect(text).toBe(`{\n  "name": "${harmless.replace('\\u000d', '\\r')}"\n}`);
    expect(JSON.parse(text)).toEqual({ name: hostile });
  });
});

describe('refusals', () => {
  it('are status, code and sentence', () => {
    expect(formatError(new Problem(NotFound, 'There is no run 7.'))).toBe(
      '404 NOT_FOUND: There is no run 7.',
    );
  });

  it('name every field', () => {
    expect(formatError(invalidField('title', 'required', 'is required'))).toBe(
      '400 INVALID_REQUEST: title: is required\n  body title: is required (required)',
    );
  });
});

describe('commands', () => {
  it('show the error of a run on one line, whatever its flow has raised', () => {
    const error = {
      type: 'x',
      status: 500,
      title: 'a\n\u001b[2J',
      detail: 'b\rc',
      instance: '/do',
    };
    const text = showRun({ ...(runExample as Run), status: 'FAILED', error }, [], false);
    expect(text.split('\n')).toContain('error   500 a  [2J: b c (/do)');
  });

  it('show a run with its steps', () => {
    const text = showRun(runExample as Run, [stepExample as StepSummary], false);
    expect(text).toContain('run 1  SUCCESS  flow 1 "Approve orders" version 1, workspace 1');
    expect(text).toContain('started by person 1 (Ada Lovelace)');
    expect(text).toMatch(/^1 +\/do\/0\/sum +- +1 +1 +SUCCESS +1\.5 s +\{"total":1200\}$/m);
  });

  it('show what an execution executes', () => {
    const execution = executionExample as Execution;
    const draft = { ...execution, revision: 3, draft: true as const };
    expect(showRun(execution, [], false)).toContain('workflow 1 "Order report" revision 1, work');
    expect(showRun(draft, [], false)).toContain('workflow 1 "Order report" draft 3, work');
  });

  it('show live runs with how many there are of each status', () => {
    const created = '2026-01-31T09:30:00.000Z';
    const run = {
      id: 4,
      workspaceId: 17,
      name: 'rest',
      status: 'WAITING' as const,
      worker: null,
      createdAt: created,
      startedAt: created,
      wakeAt: '2026-01-31T09:31:00.000Z',
    };
    const backlog = { live: { WAITING: 1, QUEUED: 3 }, waitingSince: created };
    const text = showLive([run], backlog, Date.parse(created) + 5_000);
    expect(text).toContain('1 WAITING, 3 QUEUED; one has waited for a worker for 5.0 s');
    expect(text).toMatch(/^run +workspace +flow or workflow +status/m);
    expect(text).toMatch(/^4 +17 +rest +WAITING +- +5\.0 s +in 55\.0 s$/m);
  });

  it('show schedules with how late they are, and how their last occurrence ended', () => {
    const at = '2026-01-31T09:30:00.000Z';
    const schedule = {
      id: 4,
      workspaceId: 17,
      flowId: 7,
      cron: '0 6 * * *',
      timeZone: 'Europe/Berlin',
      enabled: true,
      nextAt: at,
      attempts: 2,
      last: { at, outcome: 'STARTED' as const, runId: 9001, code: null },
    };
    const refused = { at, outcome: 'REFUSED' as const, runId: null, code: 'QUOTA_REACHED' };
    const off = { ...schedule, id: 5, enabled: false, nextAt: null, attempts: 0, last: refused };
    const text = showSchedules([schedule, off], Date.parse(at) + 61_000);
    const when = '0 6 \\* \\* \\* Europe/Berlin';
    expect(text).toMatch(
      new RegExp(
        `^4 +17 +7 +${when} +yes +late by 1 min 1 s, 2 attempts +${at} +STARTED run 9001$`,
        'm',
      ),
    );
    expect(text).toMatch(
      new RegExp(`^5 +17 +7 +${when} +no +- +${at} +REFUSED QUOTA_REACHED$`, 'm'),
    );
    expect(showSchedules([], 0)).toBe('no schedules');
  });

  it('show for how long subscriptions fail, and the deliveries of a subscription', () => {
    const failing = {
      id: 12,
      workspaceId: 17,
      origin: 'https://ledger.example',
      enabled: true,
      disabledReason: null,
      failingSince: '2026-01-31T09:30:00.000Z',
      pending: 40,
    };
    const off = { ...failing, id: 13, enabled: false, failingSince: null, disabledReason: 'gone' };
    const now = Date.parse('2026-01-31T11:30:00.000Z');
    const text = showFailing([failing, off], now);
    expect(text).toMatch(/^12 +17 +https:\/\/ledger\.example +yes +2 h 0 min +40 +-$/m);
    expect(text).toMatch(/^13 +17 +https:\/\/ledger\.example +no +- +40 +gone$/m);
    expect(showFailing([], now)).toBe('no subscription fails');
    expect(showDeliveries([deliveryExample])).toMatch(
      /^1 +issue\.created +issue 1 +DELIVERED +1 +200 +2026-01-31T09:31:00\.000Z +-$/m,
    );
    expect(showDeliveries([])).toBe('no deliveries');
  });

  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T09:30Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T10:30:05.5+01:00', '2026-01-31T09:30:05.500Z'],
  ])('take the time %s', (typed, time) => {
    expect(parseTime('from', typed)).toBe(time);
  });

  it.each(['2026-01-31T09:30', '2026-02-30', '31.1.2026', 2026, 'now'])('refuse %p', (typed) => {
    expect(() => parseTime('from', typed)).toThrow('from must be a day or a time');
  });

  it('show runs of any status with the title of their error', () => {
    const at = '2026-01-31T09:30:00.000Z';
    const failed = {
      id: 9001,
      workspaceId: 17,
      name: 'nightly',
      status: 'FAILED' as const,
      worker: null,
      createdAt: at,
      startedAt: at,
      wakeAt: null,
      completedAt: at,
      error: 'No tea',
    };
    expect(showFound([failed])).toMatch(
      new RegExp(`^9001 +17 +nightly +FAILED +${at} +${at} +No tea$`, 'm'),
    );
    expect(showFound([])).toBe('no runs');
  });

  it('show stuck runs with the whole reason of each', () => {
    const reason = `it matches no claim; readyAt is null, where claims ask for {"$exists":false}`;
    const stuck = {
      id: 9001,
      workspaceId: 17,
      name: 'nightly',
      status: 'QUEUED' as const,
      worker: null,
      createdAt: '2026-01-31T09:00:00.000Z',
      startedAt: null,
      wakeAt: null,
      since: '2026-01-31T09:30:00.000Z',
      reason,
    };
    const [, row] = showStuck(
      { runs: [stuck], isComplete: true },
      Date.parse('2026-01-31T09:33:05.000Z'),
    ).split('\n');
    expect(row?.split(/ {2,}/)).toEqual(['9001', '17', 'nightly', 'QUEUED', '3 min 5 s', reason]);
    expect(showStuck({ runs: [], isComplete: true }, 0)).toBe('no stuck runs');
    expect(showStuck({ runs: [], isComplete: false }, 0)).toMatch(/^no stuck runs\nIncomplete: /);
  });

  it('show processes with their versions, ages and services', () => {
    const startedAt = '2026-01-31T09:30:00.000Z';
    const now = Date.parse('2026-01-31T11:30:00.000Z');
    const node = {
      id: 'core-box-7-4711',
      available: true,
      hostname: 'box-7',
      metadata: { version: '1.0.0', commit: '1a2b3c4d5e6f', startedAt },
      services: [{ name: 'runs' }, { name: '$node' }, { name: 'flows' }],
      lastHeartbeatTime: 100,
    };
    const gone = { ...node, id: 'old-box-8-12', available: false, metadata: null, services: [] };
    const text = showNodes([gone, node], now, 101.5);
    expect(text).toMatch(/^box-7 +4711 +up +1\.0\.0 +1a2b3c4d +2 h 0 min +2 s ago +flows, runs$/m);
    expect(text).toMatch(/^box-7 +12 +GONE +- +- +- +2 s ago +none \(a console\)$/m);
    const whole = { ...node, services: contracts };
    expect(showNodes([whole], now, 100)).toMatch(/ all$/);
    expect(showNodes([], now, 0)).toBe('no other processes');
  });

  it('show which counters of attempts were locked', () => {
    const counters = [
      { of: 'unknown networks' as const, attempts: 10, locked: true },
      { of: 'session' as const, attempts: 1, locked: false },
    ];
    expect(showUnlocked(7, counters)).toMatch(
      /^user 7 is unlocked\nattempts from .*\nunknown networks +10 +yes\nsession +1 +no$/,
    );
    expect(showUnlocked(7, counters.slice(1))).toContain('user 7 was not locked; the counters');
    expect(showUnlocked(7, [])).toBe('user 7 was not locked: no attempt was counted');
  });

  it('show failed mails', () => {
    const mail = {
      id: 7,
      to: 'ada@example.com',
      subject: 'Set a new password',
      failure: '550 EENVELOPE at RCPT TO',
      attempts: 1,
      createdAt: '2026-01-31T09:30:00.000Z',
    };
    expect(showMails([mail])).toMatch(
      /^7 +ada@example\.com +Set a new password +1 +2026-01-31T09:30:00\.000Z +550 EENVELOPE at RCPT TO$/m,
    );
    expect(showMails([])).toBe('no failed mails');
  });

  it('show whose heart stands still', () => {
    const worker = { node: 'box-7', capacity: 16, runs: 4 };
    const before = [
      { id: 'alive', beat: 8, ...worker },
      { id: 'stuck', beat: 8, ...worker },
    ];
    const after = [
      { id: 'alive', beat: 9, ...worker },
      { id: 'stuck', beat: 8, ...worker },
    ];
    const text = showWorkers(before, after);
    expect(text).toMatch(/^alive +box-7 +beats +9 +4 of 16 +25 %$/m);
    expect(text).toMatch(/^stuck .* STILL /m);
  });
});

describe('the command line', () => {
  it.each([
    ['--title 42', 42, '42'],
    ['--title 1.10', 1.1, '1.10'],
    ['--title=1e3', 1000, '1e3'],
    ['--title "1e3" --x', 1000, '1e3'],
    ["--description '--title 7' --title -0", -0, '-0'],
    ['--title true', true, 'true'],
  ])('leaves text as it was typed: %s', (typed, title, wanted) => {
    const line = `call issues.create --workspaceId 1 ${typed}`;
    expect(fitArguments('issues.create', { workspaceId: 1, title }, line)).toEqual({
      workspaceId: 1,
      title: wanted,
    });
  });

  it('makes no text of what was typed as none, and keeps what the action takes as it is', () => {
    for (const line of ['call issues.create --title --x', 'call issues.create {"title":true}']) {
      expect(fitArguments('issues.create', { title: true }, line)).toEqual({ title: true });
    }
    const params = { flowId: 7, input: 1.1 };
    expect(fitArguments('runs.start', params, 'call runs.start --flowId 7 --input 1.10')).toEqual(
      params,
    );
  });

  it("completes a call's parameters and the action to explain", () => {
    expect(completions('call issues.list --w')).toEqual([['--workspaceId'], '--w']);
    expect(completions('explain 1 runs.listW')).toEqual([['runs.listWorkers'], 'runs.listW']);
    expect(completions('runs --l')).toEqual([['--live', '--limit'], '--l']);
    expect(completions('runs --live --f')).toEqual([['--flow'], '--f']);
    expect(completions('call iss')).toBeNull();
  });
});
