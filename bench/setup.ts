import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { createWorkspace, type Person } from '../test/helpers/people.ts';
import { exitOf } from '../test/helpers/process.ts';
import { stopServers } from '../test/helpers/server.ts';
import { startMongo } from '../test/mongodb/start-mongo.ts';
import { killDescendants } from './process.ts';

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
process.env.TMPDIR = folder; // the tests' helpers make their folders in it
const databases = new Set<EmbeddedMongo>();
const programs = new Set<ChildProcess>();

export const DATABASE_NAME = 'bench';

/** Returns the path of a folder that `cleanUp` removes. */
export const temporaryFolder = (name: string): string => join(folder, name);

let cleaning: Promise<void> | undefined;

/** Ends every process that was started here or by the tests' helpers, and removes their data. Does so once. */
export function cleanUp(): Promise<void> {
  cleaning ??= endProcesses().finally(removeFolder);
  return cleaning;
}

async function endProcesses(): Promise<void> {
  for (const program of programs) program.kill('SIGKILL');
  await Promise.all([...programs].map(exitOf));
  await stopServers();
  await Promise.all([...databases].map((database) => database.stop()));
}

const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/** The exit codes that a shell gives to a process which a signal has ended. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

/** Makes SIGINT and SIGTERM clean up and exit. A further signal during the clean-up has no effect. */
export function cleanUpOnSignals(): void {
  for (const [signal, code] of Object.entries(EXIT_CODES)) {
    process.on(signal, () => {
      cleanUp()
        .catch((error: Error) => process.stderr.write(`${error.stack}\n`))
        .finally(() => process.exit(code));
    });
  }
}

/** Ends processes that an interrupted part has started during `cleanUp`. */
process.once('exit', () => {
  killDescendants();
  removeFolder();
});

/** Makes `cleanUp` end this process if it has started; returns a function that makes `cleanUp` forget it. */
export function trackProgram(program: ChildProcess): () => void {
  if (program.pid !== undefined) programs.add(program);
  return () => void programs.delete(program);
}

export async function startDatabase(name: string): Promise<EmbeddedMongo> {
  const database = await startMongo({
    folder: temporaryFolder(name),
    dbName: DATABASE_NAME,
  });
  databases.add(database);
  return database;
}

export async function stopDatabase(database: EmbeddedMongo): Promise<void> {
  databases.delete(database);
  await database.stop();
}

/** Returns the environment of a process in production, with new keys. */
export function productionEnvironment(uri: string): Record<string, string> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'bench', alg: 'ES256', use: 'sig' };
  return {
    NODE_ENV: 'production',
    MONGODB_URI: uri,
    JWT_PRIVATE_KEYS: JSON.stringify({ keys: [jwk] }),
    CREDENTIALS_MASTER_KEYS: randomBytes(32).toString('base64'),
    SMTP_URL: 'smtp://127.0.0.1:9', // refuses connections: nobody reads the few mails of a bench
    MAIL_FROM: 'bench@example.com',
    LOG_LEVEL: 'warn',
  };
}

/** A program that prints one line when it is ready. */
export interface Program {
  pid: number;
  /** The printed line, without its line break. */
  line: string;
  stop(): void;
}

/** Starts a program of this folder by Node.js. Rejects when the program ends before it is ready. */
export async function startProgram(file: string, args: readonly string[]): Promise<Program> {
  const program = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const untrack = trackProgram(program);
  const ended = once(program, 'exit').then(([code]) => {
    throw new Error(`${file} ended with ${code}`);
  });
  ended.catch(() => undefined); // an end after the first line is a stop
  const [line] = (await Promise.race([once(program.stdout, 'data'), ended])) as [Buffer];
  return {
    pid: program.pid ?? 0,
    line: line.toString().trim(),
    stop() {
      untrack();
      program.kill();
    },
  };
}

/** Starts a server on this machine that answers every request with a little JSON. Flows call it. */
export async function startTarget(): Promise<{ port: number; stop(): void }> {
  const target = createServer((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  await once(target.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (target.address() as AddressInfo).port,
    stop() {
      target.closeAllConnections();
      target.close();
    },
  };
}

export const NEW_ISSUE = {
  title: 'The mill turns backwards',
  description: 'Since this morning.',
};

/** The number of issues that `createIssues` makes. */
const ISSUES = 200;

/** Makes an issue in a new workspace. Returns the paths of the list of issues and of the issue. */
export async function createIssue(owner: Person): Promise<{ issues: string; issue: string }> {
  const issues = `/workspaces/${await createWorkspace(owner)}/issues`;
  const { body } = await owner.call<{ id: number }>('POST', issues, { body: NEW_ISSUE });
  return { issues, issue: `${issues}/${body.id}` };
}

/** Makes `ISSUES` issues, enough for each client to read its own, and returns their paths. */
export async function createIssues(owner: Person, issues: string): Promise<string[]> {
  const paths: string[] = [];
  while (paths.length < ISSUES) {
    const { body } = await owner.call<{ id: number }>('POST', issues, { body: NEW_ISSUE });
    paths.push(`${issues}/${body.id}`);
  }
  return paths;
}
