/** Starts a sandbox child with the fewest rights that Node can grant. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve, sep } from 'node:path';
import { RETIRED_AFTER_CPU_S } from './limits.ts';

const MAIN = join(import.meta.dirname, 'child', 'main.ts');
const PACKAGE = resolve(import.meta.dirname, '..');
const SHELL = '/bin/sh';
const EVALUATORS = ['jsonata', 'yaml', '@cfworker/json-schema', 'diff'];

/**
 * Starts a child. Without the accessor `__proto__`, that key is a key like any other and data cannot reach a prototype.
 * The stack is smaller than usual, so that recursion fills the stack before the heap. Helper threads of V8 are off,
 * because the child's CPU time would include theirs.
 */
export function spawnChild(memoryMb: number): ChildProcess {
  const { execPath, execArgv } = limitCpuTime([
    '--permission',
    ...listReadablePaths().map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${memoryMb}`,
    '--max-semi-space-size=4',
    '--stack-trace-limit=0',
    '--single-threaded-gc',
    '--v8-pool-size=0',
    '--disallow-code-generation-from-strings',
    '--disable-proto=delete',
    '--frozen-intrinsics',
    '--expose-gc',
    '--disable-warning=ExperimentalWarning',
    '--stack-size=500',
    // `yaml` makes an `Error` of each fault of a file. Thousands of long stack traces fill a small heap.
    '--stack-trace-limit=3',
  ]);
  return fork(MAIN, {
    execPath,
    execArgv,
    env: {},
    serialization: 'json',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** Limits the child's CPU time through a shell, if there is one: the shell sets the limit and then executes Node. */
function limitCpuTime(nodeArgs: string[]): { execPath: string; execArgv: string[] } {
  if (!existsSync(SHELL)) return { execPath: process.execPath, execArgv: nodeArgs };
  const script = `ulimit -t ${2 * RETIRED_AFTER_CPU_S}; unset PWD OLDPWD SHLVL; exec "$0" "$@"`;
  return { execPath: SHELL, execArgv: ['-c', script, process.execPath, ...nodeArgs] };
}

let paths: readonly string[] | undefined;

function listReadablePaths(): readonly string[] {
  paths ??= [PACKAGE, ...EVALUATORS.map(packageFolder)];
  return paths;
}

/** Returns the folder in which npm installed a dependency: below this package or further up. */
function packageFolder(name: string): string {
  const entry = createRequire(join(PACKAGE, 'package.json')).resolve(name);
  const folder = join('node_modules', ...name.split('/')) + sep;
  return entry.slice(0, entry.lastIndexOf(folder) + folder.length - 1);
}
