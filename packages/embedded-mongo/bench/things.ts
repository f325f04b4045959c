import type { MongoClient } from 'mongodb';

/** A document of the bench. */
export interface Thing {
  _id: number;
  key: string;
  group: number;
  at: Date;
  title: string;
  n: number;
}

export const thing = (i: number, key = `key-${i}`): Thing => ({
  _id: i,
  key,
  group: i % 100,
  at: new Date(1.7e12 + i * 1000),
  title: `Thing number ${i} of many`,
  n: 0,
});

/** Returns the resident memory of the server's process in megabytes. */
export async function residentOf(client: MongoClient): Promise<number> {
  const { mem } = await client.db().command({ serverStatus: 1 });
  return mem.resident;
}
