import { Counter, Gauge, type Registry } from 'prom-client';
import { requestBegun, requestEnded } from '../mixins/gateway/access-log.ts';
import {
  connectionRefused,
  connectionsChanged,
} from '../mixins/gateway/connections/connection-limit.ts';
import { placesChanged } from '../mixins/gateway/limits/places.ts';

/** Reports what the gateway of this process holds at present, beside the limits of the process. */
export function gaugeGateway(registers: Registry[]): void {
  const inFlight = new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests without a complete response, streams among them',
    registers,
  });
  requestBegun.subscribe(() => inFlight.inc());
  requestEnded.subscribe(() => inFlight.dec());

  const labelNames = ['kind'] as const;
  const taken = new Gauge({
    name: 'http_long_requests_in_flight',
    help: 'Requests that take long, by what they do: wait (streams among them), upload, download',
    labelNames,
    registers,
  });
  const places = new Gauge({
    name: 'http_long_requests_max',
    help: 'How many of them the process lets in at once',
    labelNames,
    registers,
  });
  placesChanged.subscribe((observed) => {
    taken.set({ kind: observed.kind }, observed.taken);
    places.set({ kind: observed.kind }, observed.places);
  });
  gaugeConnections(registers);
}

function gaugeConnections(registers: Registry[]): void {
  const open = new Gauge({
    name: 'http_connections_open',
    help: 'Connections of clients',
    registers,
  });
  const max = new Gauge({
    name: 'http_connections_max',
    help: 'How many of them the process lets in at once; 0 in a process without gateway',
    registers,
  });
  connectionsChanged.subscribe((observed) => {
    open.set(observed.open);
    max.set(observed.max);
  });
  const refused = new Counter({
    name: 'http_connections_refused_total',
    help: 'Connections that were closed at once, because the process or the network of the client had too many',
    registers,
  });
  connectionRefused.subscribe(() => refused.inc());
}
