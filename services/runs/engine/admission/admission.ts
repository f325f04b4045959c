import type { Share, ShareOwner } from '../../../../support/fair-shares/share.ts';
import { Reservation, type Room } from './reservation.ts';

/**
 * Decides which runs may begin in this process. Each run needs a slot, memory, and a part of its workspace's
 * limit.
 */
export class Admission {
  readonly #room: Room;

  constructor(room: Room) {
    this.#room = room;
  }

  /** Whether an owner without a run in this process could begin one. */
  get hasRoom(): boolean {
    return this.#room.slots.hasFreeSlot && this.#room.memory.hasRoom;
  }

  mayOwnerTake(owner: ShareOwner): boolean {
    return this.#room.slots.mayOwnerTake(owner) && this.#room.memory.mayOwnerTake(owner);
  }

  mayTake(share: Share): boolean {
    const { slots, memory, workspaces } = this.#room;
    return slots.mayTake(share) && memory.mayTake(share) && (workspaces?.mayTake(share) ?? true);
  }

  /** Takes room for a run. Returns null when the run may not begin. */
  reserve(share: Share): Reservation | null {
    return this.mayTake(share) ? new Reservation(share, this.#room) : null;
  }
}
