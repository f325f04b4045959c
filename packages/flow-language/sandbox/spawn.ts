/** Starts a sandbox child with as few rights as Node can leave it. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve, sep } from 'node:path';
import { RETIRED_AFTER_CPU_S } from './limits.ts';

const MAIN = join(import.meta.dirname, 'child', 'main.ts');
const PACKAGE = resolve(import.meta.dirname, '..');
const SHELL = '/bin/sh';
const EVALUATORS = ['jsonata', 'yaml', '@cfworker/json-schema'];

/**
 * Without `__proto__` as an accessor it is a key like any other, and data can't reach a prototype
 * through it. The stack is smaller than usual so that recursion ends before memory does. Helper
 * threads would count towards the child's CPU time: without them it is that of the expression.
 */
export function spawnChild(memoryMb: number): ChildProcess {
  const { execPath, execArgv } = limited([
    '--permission',
    ...readable().map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${memoryMb}`,
    '--max-semi-space-size=4',
    '--single-threaded-gc',
    '--v8-pool-size=0',
    '--disallow-code-generation-from-strings',
    '--disable-proto=delete',
    '--frozen-intrinsics',
    '--expose-gc',
    '--disable-warning=ExperimentalWarning',
    '--stack-size=500',
    // `yaml` makes an error of each fault of a file: thousands of long stack traces fill a small heap.
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

/** Through a shell where there is one, which sets the limit and then becomes the child. */
function limited(nodeArgs: string[]): { execPath: string; execArgv: string[] } {
  if (!existsSync(SHELL)) return { execPath: process.execPath, execArgv: nodeArgs };
  const script = `ulimit -t ${2 * RETIRED_AFTER_CPU_S}; unset PWD OLDPWD SHLVL; exec "$0" "$@"`;
  return { execPath: SHELL, execArgv: ['-c', script, process.execPath, ...nodeArgs] };
}

let paths: readonly string[] | undefined;

function readable(): readonly string[] {
  paths ??= [PACKAGE, ...EVALUATORS.map(packageFolder)];
  return paths;
}

/** Where npm put a dependency: in this package's folder or further up. */
function packageFolder(name: string): string {
  const entry = createRequire(join(PACKAGE, 'package.json')).resolve(name);
  const folder = join('node_modules', ...name.split('/')) + sep;
  return entry.slice(0, entry.lastIndexOf(folder) + folder.length - 1);
}
