import type { mongo } from 'mongoose';
import { DiagnosticEvent } from '../../support/diagnostic-event.ts';

/** The differences that one event of the driver makes in a connection pool. */
export interface PoolChange {
  /** The server of the pool, as `host:port`. */
  pool: string;
  /** Open connections. */
  connections?: 1 | -1;
  /** Connections that carry out a command. */
  checkedOut?: 1 | -1;
  /** Commands that wait for a connection. */
  waiting?: 1 | -1;
  /** The end of a wait for a connection. */
  checkout?: { outcome: 'ok' | 'failed'; ms: number };
}

/** A connection pool of the driver has changed. */
export const poolChanged = new DiagnosticEvent<PoolChange>('pool-changed');

/** Publishes the changes of the pools of a client that has not connected yet, by the driver's CMAP events. */
export function watchPools(client: mongo.MongoClient): void {
  const publish = (pool: string, change: Omit<PoolChange, 'pool'>) =>
    poolChanged.publish({ pool, ...change });
  client.on('connectionCreated', ({ address }) => publish(address, { connections: 1 }));
  client.on('connectionClosed', ({ address }) => publish(address, { connections: -1 }));
  client.on('connectionCheckOutStarted', ({ address }) => publish(address, { waiting: 1 }));
  client.on('connectionCheckedOut', ({ address, durationMS: ms }) =>
    publish(address, { waiting: -1, checkedOut: 1, checkout: { outcome: 'ok', ms } }),
  );
  client.on('connectionCheckOutFailed', ({ address, durationMS: ms }) =>
    publish(address, { waiting: -1, checkout: { outcome: 'failed', ms } }),
  );
  client.on('connectionCheckedIn', ({ address }) => publish(address, { checkedOut: -1 }));
}
