import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '../..');
/** Milliseconds of a start: less than a test may take, so that the output of a process that does not start is shown. */
const READY_WITHIN_MS = 100_000;

/** One process of the service, as a person would start it. */
export interface ServiceProcess {
  pid: number;
  /** The gateway's address once its port is open, whatever it can reach; needs `LOG_LEVEL` info. */
  listening: Promise<string>;
  /** The gateway's address once it is ready, or nothing where the process has no gateway; rejects when it ends before. */
  ready: Promise<string | undefined>;
  /** Returns the output of the process so far, stdout and stderr. */
  output(): string;
  signal(signal: NodeJS.Signals): void;
  exited: Promise<number | null>;
}

/** The output of a process without its log, whose lines are JSON. */
export const withoutLog = (output: string): string => output.replace(/^\{.*\}\n/gm, '');

/** What a process wrote after it was ready, but for lines that only inform. */
export const warningsOf = (output: string): string[] =>
  output
    .slice(READY.exec(output)?.index)
    .replace(READY, '')
    .split('\n')
    .filter((line) => line && !/^\{"level":"(?:info|debug|trace)".*\}$/.test(line));

const running = new Set<ChildProcess>();

/** Ends every process that was started here, at once. */
export async function killProcesses(): Promise<void> {
  for (const child of running) child.kill('SIGKILL');
  await Promise.all([...running].map(exitOf));
}

export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

/** Tests send more requests than a person does: limits are off where a test does not set them. */
const LIMITS = { RATE_LIMIT: 'off', SIGN_IN_LIMIT: 'off' };

const preload = (file: string): string =>
  `--import=${pathToFileURL(join(import.meta.dirname, file))}`;

/** With a compile cache, which the service does not read otherwise, a start takes half of the CPU time. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/service'),
  NODE_OPTIONS: preload('flush-compile-cache.ts'),
};

/** The domain of the operators of every service that a test starts, unless the test names another. */
export const OPERATOR_DOMAIN = 'operators.example';

/** Starts `server.ts` of that checkout with that environment and nothing of ours. */
export function startProcess(env: Record<string, string>, checkout = ROOT): ServiceProcess {
  const child = spawn(process.execPath, [join(checkout, 'server.ts')], {
    cwd: checkout,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      PORT: '0',
      OPERATOR_EMAIL_SUFFIXES: OPERATOR_DOMAIN,
      ...COMPILE_CACHE,
      NODE_OPTIONS: `${COMPILE_CACHE.NODE_OPTIONS} ${preload('null-answers.ts')}`,
      ...LIMITS,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let text = '';
  const collect = (chunk: Buffer) => {
    text += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ready = lineOf(child, () => text, READY);
  const listening = lineOf(child, () => text, LISTENING).then((url) => url ?? '');
  for (const line of [ready, listening]) line.catch(() => undefined); // a test that awaits the line gets the error
  return {
    pid: child.pid ?? 0,
    listening,
    ready,
    output: () => text,
    signal: (signal) => void child.kill(signal),
    exited: exitOf(child).finally(() => running.delete(child)),
  };
}

const READY = /^ready (?:on (http:\/\/\S+)|for calls)$/m;
const LISTENING = /"msg":"listening on (http:\/\/[^"]+)"/;

/** Waits for a line that the process writes; resolves with what the expression captures of it. */
function lineOf(
  child: ChildProcess,
  output: () => string,
  expression: RegExp,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`the server ${why}:\n${output()}`));
    const timer = setTimeout(() => fail('was not ready in time'), READY_WITHIN_MS).unref();
    const look = () => {
      const line = expression.exec(output());
      if (!line) return;
      clearTimeout(timer);
      child.stdout?.off('data', look);
      resolve(line[1]);
    };
    child.stdout?.on('data', look);
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with ${code}`);
    });
  });
}
