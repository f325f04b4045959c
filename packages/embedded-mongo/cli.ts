#!/usr/bin/env node
/**
 * The command line: `embedded-mongo --port 27018 --data ./data` starts a server, and `embedded-mongo check ./data`
 * compares every index with its documents. `embedded-mongo copy ./data ./copy` copies the data, also while a server
 * uses the folder.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lockFolder } from './folder-lock.ts';
import { startServer } from './server/server.ts';
import { checkStore } from './storage/check.ts';
import { assertHasData, copyStore } from './storage/copy.ts';
import { DATA_FILE, Store } from './storage/store.ts';

const USAGE = `embedded-mongo [--port 27017] [--data ./data] [--durability NORMAL|FULL]
embedded-mongo check <folder>
embedded-mongo copy <folder> <new folder>
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '27017' },
      data: { type: 'string', default: './data' },
      durability: { type: 'string', default: 'NORMAL' },
      help: { type: 'boolean', default: false },
    },
  });
  const [command, folder, into] = positionals;
  if (command === 'check' && folder !== undefined) return check(folder);
  if (command === 'copy' && folder !== undefined && into !== undefined) {
    process.umask(0o077);
    await copyStore(folder, into);
    return 0;
  }
  const durability = values.durability === 'FULL' ? 'FULL' : 'NORMAL';
  const port = Number(values.port);
  if (values.help || command !== undefined || !Number.isInteger(port)) {
    process.stdout.write(USAGE);
    return values.help ? 0 : 2;
  }
  await serve(values.data, port, durability);
  return 0;
}

async function serve(folder: string, port: number, durability: 'NORMAL' | 'FULL'): Promise<void> {
  const lock = lockFolder(folder);
  const server = await startServer({ file: join(folder, DATA_FILE), port, durability });
  process.stdout.write(`mongodb://127.0.0.1:${server.port}/?directConnection=true\n`);
  const ended = new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await ended;
  await server.close();
  lock.release();
}

function check(folder: string): number {
  assertHasData(folder);
  const lock = lockFolder(folder);
  const store = new Store(join(folder, DATA_FILE), 'NORMAL');
  const faults = checkStore(store);
  store.close();
  lock.release();
  process.stdout.write(faults.length === 0 ? 'ok\n' : `${faults.join('\n')}\n`);
  return faults.length === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
