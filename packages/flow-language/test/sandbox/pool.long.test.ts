import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processCpuMs } from '../../sandbox/cpu-time.ts';
import { SandboxUnavailable } from '../../sandbox/errors.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { scope, whole } from './request.ts';

const one = (sandbox: Sandbox, source = '1') =>
  sandbox.evaluate({ template: whole(source), ...scope() });

/** The sandbox's children of a process, by their entry file. */
function childrenOf(pid: number): number[] {
  const listed = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)], {
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((line) => line.includes('sandbox/child/main.ts'))
    .map((line) => Number.parseInt(line, 10));
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !holds(); i++) await sleep(25);
  expect(holds()).toBe(true);
}

test('children come on demand, are as many as allowed and leave after a rest', async () => {
  const sandbox = createSandbox({ maxChildren: 2, idleMs: 2_000 });
  expect(childrenOf(process.pid)).toHaveLength(0);
  await Promise.all(Array.from({ length: 20 }, () => one(sandbox)));
  expect(childrenOf(process.pid)).toHaveLength(2);
  await until(() => childrenOf(process.pid).length === 0);
  expect(await one(sandbox)).toBe(1);
  sandbox.close();
});

test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
  'a child that somebody else ends by %s while it works costs nothing',
  async (signal) => {
    const sandbox = createSandbox({ maxChildren: 1 });
    await one(sandbox);
    const [pid = 0] = childrenOf(process.pid);
    process.kill(pid, 'SIGSTOP');
    const job = one(sandbox, '1 + 1');
    await sleep(100);
    process.kill(pid, signal);
    process.kill(pid, 'SIGCONT');
    expect(await job).toBe(2);
    sandbox.close();
  },
);

test('a child that somebody else ends while it starts costs nothing', async () => {
  const sandbox = createSandbox({ maxChildren: 1 });
  const job = one(sandbox, '1 + 1');
  const [pid = 0] = childrenOf(process.pid);
  process.kill(pid, 'SIGKILL');
  expect(await job).toBe(2);
  sandbox.close();
});

test('children that somebody ends again and again are no verdict on the job', async () => {
  const sandbox = createSandbox({ maxChildren: 1 });
  await one(sandbox);
  const outcome = one(sandbox, '$sum([1..100000])').catch((error: unknown) => error);
  let over = false;
  void outcome.finally(() => {
    over = true;
  });
  while (!over) {
    for (const pid of childrenOf(process.pid)) process.kill(pid, 'SIGKILL');
    await sleep(5);
  }
  expect(await outcome).toBeInstanceOf(SandboxUnavailable);
  sandbox.close();
});

test('a child sees no environment and no files but the evaluator', async () => {
  const sandbox = createSandbox({ maxChildren: 1 });
  await one(sandbox);
  const [pid] = childrenOf(process.pid);
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8').replace(/NODE_CHANNEL_\w+=\w+\0/g, '')).toBe(
    '',
  );
  expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain('--permission');
  expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/Max cpu time +60 +60 /);
  sandbox.close();
});

/** A recursion without end, which uses up its budget. */
const BOMB = '($f := function($n) { $n < 0 ? 0 : $f($n + 1) }; $f(1))';
const bomb = (sandbox: Sandbox, isQuarantined: boolean) =>
  expect(
    sandbox.evaluate({ template: whole(BOMB), ...scope(), isQuarantined }),
  ).rejects.toMatchObject({ code: 'EXPRESSION_TIMEOUT' });

test('a job in quarantine leaves the last idle child to others', async () => {
  const sandbox = createSandbox({ maxChildren: 2 });
  await one(sandbox);
  const [idle] = childrenOf(process.pid);
  await bomb(sandbox, true);
  expect(childrenOf(process.pid)).toEqual([idle]);
  expect(await one(sandbox)).toBe(1);
  sandbox.close();
});

test('a child that a job has ended is replaced at once where no other is idle', async () => {
  const sandbox = createSandbox({ maxChildren: 2 });
  await one(sandbox);
  const [first] = childrenOf(process.pid);
  await bomb(sandbox, false);
  await until(() => childrenOf(process.pid).some((pid) => pid !== first));
  expect(sandbox.load()).toEqual({ children: 1, busy: 0, waiting: 0 });
  sandbox.close();
});

test('close rejects what is under way and leaves no child', async () => {
  const sandbox = createSandbox({ maxChildren: 1 });
  const under = [one(sandbox), one(sandbox)].map((job) => expect(job).rejects.toThrow('closed'));
  sandbox.close();
  await Promise.all(under);
  await expect(one(sandbox)).rejects.toThrow(SandboxUnavailable);

  await until(() => childrenOf(process.pid).length === 0);
});

test('children end with the service', async () => {
  const file = join(import.meta.dirname, 'parent.ts');
  const parent = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(parent.stdout, 'data');
  const children = childrenOf(parent.pid ?? 0);
  expect(children).toHaveLength(1);
  parent.kill('SIGKILL');
  await until(() => children.every((pid) => !isAlive(pid)));
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('children that cannot come up are no verdict on the job', async () => {
  const sandbox = createSandbox({ memoryMb: 8 });
  await expect(one(sandbox)).rejects.toThrow(SandboxUnavailable);
  sandbox.close();
});

test('more tenants than a child has realms are all answered', async () => {
  const sandbox = createSandbox({ maxChildren: 2 });
  const tenants = Array.from({ length: 60 }, (_, n) => `workspace:${n}`);
  for (let round = 0; round < 2; round++) {
    const answers = tenants.map((tenant, n) =>
      sandbox.evaluate({ template: whole('$ + 1'), ...scope({ tenant, input: n }) }),
    );
    expect(await Promise.all(answers)).toEqual(tenants.map((_, n) => n + 1));
  }
  sandbox.close();
});

describe('the CPU time of a job', () => {
  /** The CPU time in milliseconds that is told of a job. `begin` is called before the job. */
  const charged = async (source: string, options = {}, begin = () => {}): Promise<number> => {
    const sandbox = createSandbox({ maxChildren: 1, ...options });
    await one(sandbox);
    begin();
    let total = 0;
    const onCpu = (cpuMs: number) => {
      total += cpuMs;
    };
    const request = { template: whole(source), ...scope({ onCpu }) };
    await sandbox.evaluate(request).catch(() => undefined);
    sandbox.close();
    return total;
  };

  test('is told', async () => {
    const work = '$count([1..30000].$string())';
    expect(await charged(work)).toBeGreaterThan(await charged('1'));
  });

  test('is told of a job that was killed for it', async () => {
    const others = childrenOf(process.pid);
    let counted = 0;
    let counting: NodeJS.Timeout | undefined;
    const watchCpuTime = () => {
      const [pid = 0] = childrenOf(process.pid).filter((child) => !others.includes(child));
      const before = processCpuMs(pid) ?? 0;
      counting = setInterval(() => {
        counted = Math.max(counted, (processCpuMs(pid) ?? 0) - before);
      }, 10);
    };
    const endless = '($f := function($x){ $f($x + 1) }; $f(1))';
    const told = await charged(endless, {}, watchCpuTime);
    clearInterval(counting);
    expect(counted).toBeGreaterThan(0);
    // Not a number: on a busy machine the clock ends the job before the CPU time is used.
    expect(told).toBeGreaterThan(counted / 2);
  });

  test('is told of a job that filled the memory', async () => {
    const full = '$map([1..20], function($i){ {"list": [1..999999]} })';
    expect(await charged(full, { memoryMb: 32 })).toBeGreaterThan(20);
  });
});
