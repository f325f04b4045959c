import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../index.ts';
import { errorOf, temporaryFolder } from './helper.ts';

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function gone(pid: number): Promise<boolean> {
  for (let i = 0; i < 100 && alive(pid); i++) await wait(50);
  return !alive(pid);
}

/** A parent process of its own, with its server. */
async function parent(
  folder: string,
): Promise<{ process: ChildProcess; uri: string; pid: number }> {
  const started = spawn(process.execPath, [join(import.meta.dirname, 'parent.ts'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(started.stdout.setEncoding('utf8'), 'data');
  return { process: started, ...JSON.parse(line) };
}

describe('the process of the embedded database', () => {
  const { folder, remove } = temporaryFolder();
  afterAll(remove);

  it('keeps what was written over a stop', async () => {
    const first = await startEmbeddedMongo({ folder, dbName: 'kept' });
    expect(first.uri).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\/kept\?directConnection=true$/);
    const writer = await new MongoClient(first.uri).connect();
    await writer.db().collection('a').insertOne({ said: 'before' });
    await writer.close();
    await first.stop();
    expect(await first.exited).toEqual({ code: 0, signal: null });

    const second = await startEmbeddedMongo({ folder, dbName: 'kept' });
    const reader = await new MongoClient(second.uri).connect();
    expect(await reader.db().collection('a').findOne()).toMatchObject({ said: 'before' });
    await reader.close();
    await second.stop();
  });

  it('refuses a second process on the same folder, by name', async () => {
    const first = await startEmbeddedMongo({ folder });
    const refused = await errorOf(startEmbeddedMongo({ folder }));
    expect(refused.name).toBe('FolderInUse');
    expect(refused.message).toBe(
      `The folder ${folder} is in use by process ${process.pid}: stop it first or choose another folder.`,
    );
    await first.stop();
  });

  it('lets exactly one of several win that start at the same instant', async () => {
    const starts = await Promise.allSettled([1, 2, 3].map(() => startEmbeddedMongo({ folder })));
    const won = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    await Promise.all(won.map((server) => server.stop()));
    expect(won).toHaveLength(1);
  });

  it('says what is wrong with a folder that cannot be used', async () => {
    const refused = await errorOf(startEmbeddedMongo({ folder: '/dev/null/data' }));
    expect(refused.name).toBe('FolderUnusable');
    expect(refused.message).toContain('/dev/null/data cannot hold a database');
  });

  it('says so when the port is taken', async () => {
    const first = await startEmbeddedMongo({ folder });
    const other = temporaryFolder();
    const port = Number(new URL(first.uri).port);
    const refused = await errorOf(startEmbeddedMongo({ folder: other.folder, port }));
    expect(refused.message).toContain('EADDRINUSE');
    await first.stop();
    other.remove();
  });

  it('tells when the process ends by itself', async () => {
    const server = await startEmbeddedMongo({ folder });
    server.process.kill('SIGKILL');
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('ignores the signals that a terminal sends to the whole group', async () => {
    const server = await startEmbeddedMongo({ folder });
    server.process.kill('SIGINT');
    server.process.kill('SIGTERM');
    await wait(100);
    const client = await new MongoClient(server.uri).connect();
    expect(await client.db().command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
    await server.stop();
  });

  it('ends with its parent, killed by -9, and leaves no lock behind', async () => {
    const { process: killed, pid } = await parent(folder);
    expect(alive(pid)).toBe(true);
    killed.kill('SIGKILL');
    expect(await gone(pid)).toBe(true);
    const next = await startEmbeddedMongo({ folder });
    await next.stop();
  });
});
