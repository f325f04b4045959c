import type { ActionContract } from '../../../contract/contract.ts';
import { TooManyWaiting } from '../../../contract/quota.ts';
import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';
import type { Query } from '../routing/query.ts';
import { type PlaceLimits, Places } from './places.ts';

/**
 * Whether the request asks for a stream of events, for an answer that may take minutes, or for a response only after an
 * event, by the contract's `waitParam`.
 */
export const asksToWait = (
  { waitParam, format, streamed }: ActionContract,
  { values }: Query,
): boolean =>
  format === 'events' ||
  streamed !== undefined ||
  (waitParam !== undefined && Number(values[waitParam]) > 0);

/** The places of requests that wait. */
export const waitingPlaces = (limits: PlaceLimits, proxies: TrustedProxies): Places =>
  new Places(
    limits,
    {
      problem: TooManyWaiting,
      perCaller: 'WAITING_PER_CALLER',
      perProcess: 'WAITING_PER_PROCESS',
      verb: 'wait',
    },
    proxies,
  );
