import type { Share, ShareOwner } from '../../../../support/fair-shares/share.ts';
import { Reservation, type Room } from './reservation.ts';

/** Decides which runs may begin in this process: each needs a slot, memory, and a part of its workspace's limit. */
export class Admission {
  readonly #room: Room;

  constructor(room: Room) {
    this.#room = room;
  }

  /** Whether an owner without a run here could begin one. */
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

  /** Takes the room of a run; null when there is none for it. */
  reserve(share: Share): Reservation | null {
    return this.mayTake(share) ? new Reservation(share, this.#room) : null;
  }
}
