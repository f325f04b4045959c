import type { QueryFilter } from 'mongoose';
import { positionInText } from '../../../contract/page-position.ts';
import { cursorOf, type Page, pageFrom } from '../../../contract/pages.ts';
import {
  type EventDeliveryDocument,
  EventDeliveryModel,
} from '../../../models/event-delivery.model.ts';
import type { Params } from '../../contracts.ts';
import type { EventDelivery } from '../contract/resources.ts';
import { eventIdRange } from './event-id-range.ts';
import { showDelivery } from './show-delivery.ts';

/** Deliveries that one request examines at most. A request that finds no full page among them answers a shorter page. */
const MAX_EXAMINED = 5_000;

type Query = Params<'events.listDeliveries'>;
type Filter = QueryFilter<EventDeliveryDocument>;

/** Lists the deliveries of a subscription by the times of their events, newest first. */
export async function listDeliveries(query: Query): Promise<Page<EventDelivery>> {
  const { id: subscriptionId, limit, status, type } = query;
  const range: Filter = { subscriptionId, eventId: idRangeOf(query) };
  const others: Filter = {
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
  };
  const end = Object.keys(others).length ? await lastExamined(range) : null;
  const ids = end === null ? range.eventId : { ...idRangeOf(query), $gte: end };
  const rows = await EventDeliveryModel.find({ ...range, ...others, eventId: ids })
    .sort({ eventId: -1 })
    .limit(limit + 1)
    .lean<EventDeliveryDocument[]>();
  const page = pageFrom(rows, limit, showDelivery, ({ eventId }) => cursorOf(eventId));
  return { ...page, after: page.after ?? (end === null ? null : cursorOf(end)) };
}

/** The ids of the events between `from` and `to` and after the cursor. */
function idRangeOf({ from, to, after }: Query): { $gte: string; $lt: string } {
  const range = eventIdRange({ from, to }, 'query');
  const position = positionInText({ after });
  return position !== null && position < range.$lt ? { ...range, $lt: position } : range;
}

/** The event of the last delivery that the request examines; null where no delivery of the range follows. */
async function lastExamined(range: Filter): Promise<string | null> {
  const [last, next] = await EventDeliveryModel.find(range, { eventId: 1, _id: 0 })
    .sort({ eventId: -1 })
    .skip(MAX_EXAMINED - 1)
    .limit(2)
    .lean<{ eventId: string }[]>();
  return last && next ? last.eventId : null;
}
