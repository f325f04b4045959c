import type { Readable } from 'node:stream';
import type { ServiceBroker } from 'moleculer';
import type { Meta } from '../../../contract/contract-types.ts';
import type { ReadRequest } from '../gateway-request.ts';
import { ifMatchOf } from '../headers/if-match.ts';

/** What a call carries beside the parameters of its request. */
export interface CallExtras {
  meta?: Pick<Meta, 'next' | 'byteRange' | 'asEvents'>;
  /** The file of the request. */
  stream?: Readable;
}

/**
 * Calls the action of a request by its name: NATS chooses the process, and knows at once which processes are
 * gone. A client that disconnects does not end the call.
 */
export function callAction(
  broker: ServiceBroker,
  request: ReadRequest,
  { meta: more, ...extras }: CallExtras = {},
): Promise<unknown> {
  const { route, params, requestId } = request;
  const meta = { ...metaOf(request), ...more };
  return broker.call(route.action, params, { requestID: requestId, meta, ...extras });
}

/** Runs the access check of the action without the action. Throws the refusal of the check. */
export async function assertAccess(broker: ServiceBroker, request: ReadRequest): Promise<void> {
  const { route, params, requestId, caller, client, traceparent } = request;
  const meta: Meta = { caller, client, traceparent, accessOnly: true };
  await broker.call(route.action, params, { requestID: requestId, meta });
}

function metaOf(request: ReadRequest): Meta {
  const { caller, client, traceparent, faults, reservedId } = request;
  const ifMatch = ifMatchOf(request);
  return {
    caller,
    client,
    traceparent,
    ...(faults.length ? { faults } : {}),
    ...(ifMatch === undefined ? {} : { ifMatch }),
    ...(reservedId === undefined ? {} : { reservedId }),
  };
}
