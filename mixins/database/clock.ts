import mongoose from 'mongoose';

/** The time of the database's clock: what it decides does not depend on the clock of one process. */
export async function databaseTime(): Promise<Date> {
  const { db } = mongoose.connection;
  if (!db) throw new mongoose.mongo.MongoNotConnectedError('there is no connection yet');
  const { localTime } = await db.admin().command({ hello: 1 });
  if (!(localTime instanceof Date)) throw new TypeError('the database does not tell its time');
  return localTime;
}
