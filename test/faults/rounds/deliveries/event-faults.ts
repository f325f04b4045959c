import type { Fault } from '../../checks.ts';
import { RECEIVERS, type Receivers } from './receivers.ts';

/** The texts of the events that are to come, by resource, in the order of the changes of the resource. */
export type ExpectedEvents = ReadonlyMap<string, readonly string[]>;
type Received = Pick<Receivers, 'firstOf'>;

/** The events that have come to a receiver not even once. */
export const faultsOfLoss = (expected: ExpectedEvents, received: Received): Fault[] =>
  RECEIVERS.flatMap((path) =>
    [...expected].flatMap(([resource, texts]) => {
      const came = new Set(received.firstOf(path, resource));
      const lost = texts.filter((text) => !came.has(text));
      return lost.length ? [`${path} has not got of ${resource}: ${lost}`] : [];
    }),
  );

/**
 * The resources whose events have come to a receiver in another order than that of the changes, or with an event that is
 * of no change. Only the first delivery of each event counts: a repetition may come at any time.
 */
export const faultsOfOrder = (expected: ExpectedEvents, received: Received): Fault[] =>
  RECEIVERS.flatMap((path) =>
    [...expected].flatMap(([resource, texts]) => {
      const came = received.firstOf(path, resource);
      const inOrder = texts.filter((text) => came.includes(text));
      const isSame = came.join() === inOrder.join();
      return isSame ? [] : [`${path} got of ${resource} ${came}, in place of ${texts}`];
    }),
  );
