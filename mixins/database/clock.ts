import mongoose from 'mongoose';

/** Reads the clock of the database. Decisions by this clock do not depend on the clock of one process. */
export async function databaseTime(): Promise<Date> {
  const { db } = mongoose.connection;
  if (!db) throw new mongoose.mongo.MongoNotConnectedError('there is no connection yet');
  const { localTime } = await db.admin().command({ hello: 1 });
  if (!(localTime instanceof Date)) throw new TypeError('the database does not tell its time');
  return localTime;
}
