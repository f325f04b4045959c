import { type OutboundClient, OutboundError } from '@workspace-automation/outbound-http';
import { OutgoingEventModel } from '../../../models/outgoing-event.model.ts';
import { EventBodies } from '../../../services/events/delivering/event-bodies.ts';
import { Sender } from '../../../services/events/delivering/sender.ts';
import { randomWebhookSecret } from '../../../support/standard-webhooks.ts';
import { ownShareOf } from '../../helpers/own-share.ts';
import { waitFor } from '../../helpers/wait.ts';
import { deliveryOf, useDeliveries } from './delivering.ts';

useDeliveries();

/** More deliveries than a process has attempts in flight. */
const DELIVERIES = 400;
const MAX_IN_FLIGHT = 256;

test('deliveries that wait for their turn hold no text of their event', async () => {
  const numbers = Array.from({ length: DELIVERIES }, (_, n) => n + 1);
  await OutgoingEventModel.collection.insertMany(
    numbers.map((n) => ({ _id: `event ${n}`, workspaceId: n, body: '{}' })) as never[],
  );
  const read = jest.spyOn(EventBodies.prototype, 'bodyOf');
  const cutOff = Promise.withResolvers<never>();
  const sender = new Sender({
    outbound: { send: () => cutOff.promise, close: async () => undefined } satisfies OutboundClient,
    secrets: { seal: async (_, text) => text, open: async () => randomWebhookSecret() },
    shareOf: ownShareOf,
  });
  const lane = { url: 'https://receiver.test/', sealedSecret: '' };
  const sent = numbers.map((n) =>
    sender.send(
      deliveryOf(n, 'R', Date.now(), n),
      { ...lane, workspaceId: n } as never,
      () => true,
    ),
  );
  await waitFor('attempts in every place', async () => sender.inFlight === MAX_IN_FLIGHT);
  expect(read).toHaveBeenCalledTimes(MAX_IN_FLIGHT);
  const stopped = sender.stop();
  cutOff.reject(new OutboundError('CONNECTION_FAILED', 'cut off'));
  await stopped;
  await Promise.all(sent);
});
