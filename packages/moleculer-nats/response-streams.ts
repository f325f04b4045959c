import type { Transit } from 'moleculer';
import { removePendingCall } from './pending-calls.ts';
import type { RemoteStreams } from './remote-streams.ts';
import { isReadable, STREAM_HEADER } from './stream-offer.ts';

/**
 * Makes a transit send the stream that an action answers through `RemoteStreams`, in place of Moleculer's own
 * way, which sends as fast as the source produces. A refused stream ends its call with an error.
 */
export function carryResponseStreams(transit: Transit, streams: RemoteStreams): void {
  const send = transit.sendResponse.bind(transit);
  transit.sendResponse = (nodeID, id, meta, headers, data, error) => {
    if (error || !isReadable(data)) return send(nodeID, id, meta, headers, data, error);
    try {
      const offer = streams.offerForAWhile(data);
      return send(nodeID, id, meta, { ...headers, [STREAM_HEADER]: offer }, {}, error);
    } catch (refusal) {
      return send(nodeID, id, meta, headers, {}, refusal as Error);
    }
  };
  const receive = transit.responseHandler.bind(transit);
  transit.responseHandler = (packet) => {
    const offer: unknown = packet.headers?.[STREAM_HEADER];
    if (!offer) return receive(packet);
    if (!transit.pendingRequests.has(packet.id)) return streams.refuse(offer);
    try {
      receive({ ...packet, data: streams.open(offer) });
    } catch (refusal) {
      streams.refuse(offer);
      removePendingCall(transit, packet.id)?.reject(refusal as Error);
    }
  };
}
