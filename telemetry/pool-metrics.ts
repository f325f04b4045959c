import { Gauge, Histogram, type Registry } from 'prom-client';
import { poolChanged } from '../mixins/database/pools.ts';

/** Bucket bounds in seconds for waits for a connection. */
const BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10];

/** Reports the connection pools of the database's driver from the diagnostic events of this process. */
export function gaugePools(registers: Registry[]): void {
  const labelNames = ['pool'] as const;
  const connections = new Gauge({
    name: 'mongodb_pool_connections',
    help: 'Connections to a server of the database, those being opened among them',
    labelNames,
    registers,
  });
  const checkedOut = new Gauge({
    name: 'mongodb_pool_connections_checked_out',
    help: 'Those of them that carry out a command',
    labelNames,
    registers,
  });
  const waiting = new Gauge({
    name: 'mongodb_pool_waiting',
    help: 'Commands that wait for a connection',
    labelNames,
    registers,
  });
  const waits = new Histogram({
    name: 'mongodb_pool_wait_seconds',
    help: 'How long commands waited for a connection; failed: they got none',
    labelNames: ['pool', 'outcome'],
    buckets: BUCKETS,
    registers,
  });
  poolChanged.subscribe(({ pool, checkout, ...change }) => {
    if (change.connections) connections.inc({ pool }, change.connections);
    if (change.checkedOut) checkedOut.inc({ pool }, change.checkedOut);
    if (change.waiting) waiting.inc({ pool }, change.waiting);
    if (checkout) waits.observe({ pool, outcome: checkout.outcome }, checkout.ms / 1_000);
  });
}
