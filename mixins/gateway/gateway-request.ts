import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'moleculer';
import type { Client } from '../../contract/client.ts';
import type { Meta } from '../../contract/contract-types.ts';
import type { TrustedProxies } from '../../environment/trusted-proxies.ts';
import type { LoggedRequest } from './access-log.ts';
import type { Query } from './routing/query.ts';
import { parametersOf, type Route } from './routing/router.ts';
import { readParameters } from './steps/read.ts';

export interface GatewayRequest extends LoggedRequest {
  match: { route: Route; segments: readonly string[]; query: Query };
  originalUrl?: string;
  $params: unknown;
  $endpoint: unknown;
}

export type Alias = { action: string };

const SANE_REQUEST_ID = /^[\w.-]{1,64}$/;

/** A sane incoming id is kept, so that a caller can follow its request; others get one of ours. */
export function saneRequestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID();
}

export function takeRequestId(req: GatewayRequest): string {
  const id = saneRequestId(req);
  req.headers['x-request-id'] = id;
  delete req.headers['x-correlation-id'];
  return id;
}

/** Characters of a `User-Agent` that are kept; the rest of a longer one is cut. */
const USER_AGENT_LENGTH = 256;

/** The client of the request: its address as far as the peer and trusted proxies vouch for it. */
export function clientOf({ socket, headers }: IncomingMessage, proxies: TrustedProxies): Client {
  const forwardedFor = headers['x-forwarded-for'];
  return {
    address: proxies.clientAddress(socket.remoteAddress, forwardedFor?.toString()),
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_LENGTH) ?? null,
  };
}

/** The path and the query of a request's target, as they were sent. */
export function splitUrl(url: string): [string, string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

/** Gives the action what the request says. `Admission` has set its caller. */
export async function prepareCall(
  ctx: Context<unknown, Meta>,
  _route: unknown,
  req: GatewayRequest,
  res: ServerResponse,
  alias: Alias,
): Promise<void> {
  const { route, segments, query } = req.match;
  const path = parametersOf(route, segments);
  const { params, faults } = await readParameters(route.contract, path, query, req, res);
  req.$params = params;
  if (req.caller) ctx.meta.caller = req.caller;
  ctx.meta.client = req.client;
  ctx.meta.traceparent = req.traceparent;
  if (faults.length) ctx.meta.faults = faults;
  req.$endpoint = alias.action; // by name: NATS chooses who answers, and knows who is gone
}
