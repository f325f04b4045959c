import type { Share } from '../../../../support/fair-shares/share.ts';
import { MemoryBudget, type MemoryLease } from './memory-budget.ts';
import { SlotLease } from './slot-lease.ts';
import { Slots } from './slots.ts';
import type { WorkspaceLimit } from './workspace-limit.ts';

/** The resources of a process that its runs share. */
export interface Room {
  slots: Slots;
  memory: MemoryBudget;
  /** The limits of workspaces. Without them no workspace has a limit. */
  workspaces?: WorkspaceLimit;
}

const createRoomForOne = (): Room => ({
  slots: new Slots({ concurrency: 1 }),
  memory: new MemoryBudget(),
});

/** The room of one run in this process, reserved before the claim of the run until the run leaves the process. */
export class Reservation {
  readonly slot: SlotLease;
  readonly memory: MemoryLease;
  readonly #share: Share;
  readonly #workspaces: WorkspaceLimit | undefined;
  #isHeld = true;

  /** Takes the room without a check; `Admission.reserve` checks. */
  constructor(share: Share, { slots, memory, workspaces } = createRoomForOne()) {
    this.#share = share;
    this.#workspaces = workspaces;
    workspaces?.add(share, 1);
    this.memory = memory.acquire(share, 0);
    this.slot = new SlotLease(slots, share);
  }

  /** Gives the room back. The slot is freed last, since a freed slot is offered to other runs at once. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#workspaces?.add(this.#share, -1);
    this.memory.release();
    this.slot.end();
  }
}
