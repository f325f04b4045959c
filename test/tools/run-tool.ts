import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const BIN = join(import.meta.dirname, 'node_modules/.bin');

/** What a tool has printed, and its exit code. */
export interface ToolOutput {
  stdout: string;
  stderr: string;
  code: number;
}

/** Milliseconds after which a tool is killed. */
const TIMEOUT_MS = 100_000;

/** Runs a tool of this folder in a home of its own, so that it reads and writes no settings of a person. */
export function runTool(name: string, args: readonly string[], home: string): Promise<ToolOutput> {
  const file = join(BIN, name);
  if (!existsSync(file)) throw new Error(`${name} is missing: npm ci --prefix test/tools`);
  const env = { PATH: process.env.PATH, HOME: home };
  const options = { cwd: home, env, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    const child = execFile(file, args, options, (_, stdout, stderr) =>
      resolve({ stdout, stderr, code: child.exitCode ?? 1 }),
    );
  });
}
