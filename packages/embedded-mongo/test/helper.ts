import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, type Document, MongoClient } from 'mongodb';
import { type EmbeddedMongo, type EmbeddedMongoOptions, startEmbeddedMongo } from '../index.ts';

/** A folder of the test's own; removed by `remove`. */
export function temporaryFolder(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-mongo-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface TestServer {
  server: EmbeddedMongo;
  client: MongoClient;
  db: Db;
  stop(): Promise<void>;
}

/** A server on a folder of its own, with a connected client. */
export async function testServer(options: Partial<EmbeddedMongoOptions> = {}): Promise<TestServer> {
  const { folder, remove } = temporaryFolder();
  const server = await startEmbeddedMongo({ folder, ...options });
  const client = await new MongoClient(server.uri).connect();
  const stop = async (): Promise<void> => {
    await client.close();
    await server.stop();
    remove();
  };
  return { server, client, db: client.db('test'), stop };
}

/** What the driver rejects with: the fields of a server's error that tests look at. */
interface ServerError extends Error {
  code?: number;
  codeName?: string;
  keyPattern?: Document;
  keyValue?: Document;
  errorLabels?: string[];
  hasErrorLabel(label: string): boolean;
}

/** The error that `work` rejects with; fails when it doesn't. */
export async function errorOf(work: Promise<unknown>): Promise<ServerError> {
  try {
    await work;
  } catch (error) {
    return error as ServerError;
  }
  throw new Error('It was expected to fail, and did not.');
}

/** Repeatable pseudo-random numbers in [0, 1): mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
