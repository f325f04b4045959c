import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventDeliveryDocument,
  EventDeliveryModel,
} from '../../../models/event-delivery.model.ts';
import type { PendingDelivery } from './lanes/pending-deliveries.ts';

/** Milliseconds for which ends of attempts are gathered before they are written together. */
const GATHER_MS = 15;
/** Ends of one write; further ends take another write. */
const MAX_WRITES = 500;

/** The end of an attempt, as the delivery's document gets it. */
export interface Completion {
  delivery: PendingDelivery;
  status: EventDeliveryDocument['status'];
  response: EventDeliveryDocument['response'];
  /** The time of the next attempt; null where there is none. */
  nextAttemptAt: Date | null;
}

interface Waiting {
  completion: Completion;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Writes the ends of attempts, many with one command. An end counts only while nobody else has written one, so that
 * a process that was late changes nothing.
 */
export class CompletionWriter {
  readonly #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;

  /** Resolves when the end is stored. */
  write(completion: Completion): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ completion, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length) {
      if (this.#waiting.length < MAX_WRITES) await sleep(GATHER_MS);
      const some = this.#waiting.splice(0, MAX_WRITES);
      try {
        await EventDeliveryModel.collection.bulkWrite(
          some.map(({ completion }) => updateOf(completion)) as never[],
          { ordered: false },
        );
        for (const { resolve } of some) resolve();
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
    this.#writing = undefined;
  }
}

function updateOf({ delivery, status, response, nextAttemptAt }: Completion): object {
  const { _id, attempts, failures, resourceKey } = delivery;
  const set = { status, response, attempts: attempts + 1 };
  const update = nextAttemptAt
    ? { $set: { ...set, failures: failures + 1, nextAttemptAt, backoffKey: resourceKey } }
    : { $set: set, $unset: { nextAttemptAt: '', backoffKey: '' } };
  return { updateOne: { filter: { _id, status: 'PENDING', attempts }, update } };
}
