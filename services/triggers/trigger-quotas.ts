import { type QuotaName, QuotaReached, quotaProblem } from '../../contract/quota.ts';
import { isDuplicateKey } from '../../mixins/database/database.ts';
import { SLOT_INDEXES } from '../../models/trigger-slots.ts';
import { nthFreeSlot } from '../../support/quota-slot.ts';

/** A quota of triggers: its name, and how many it allows; null for no limit. */
interface Quota {
  name: QuotaName;
  limit: number | null;
}

/** The slots of a trigger, each below its quota. A slot without a quota is absent. */
export interface Slots {
  flowSlot?: number | undefined;
  workspaceSlot?: number | undefined;
}
type Slot = keyof Slots;

/** The quotas of one kind of trigger. */
export interface TriggerQuotas {
  /** The kind in the plural, as in `schedules`. */
  kind: string;
  flowSlot: Quota;
  workspaceSlot: Quota;
  /** Reads the slots of the triggers of a flow or of a workspace, `limit` at most. */
  findSlots: (of: { flowId: number } | { workspaceId: number }, limit: number) => Promise<Slots[]>;
}

interface Place {
  flowId: number;
  workspaceId: number;
}

/**
 * Creates a trigger within its quotas. A unique index admits each slot once, so that concurrent creations stay within
 * the quotas: the loser of a slot takes another.
 */
export async function createWithinQuotas<T>(
  quotas: TriggerQuotas,
  { flowId, workspaceId }: Place,
  create: (slots: Slots) => Promise<T>,
): Promise<T> {
  for (;;) {
    const slots = {
      ...(await takeSlot('flowSlot', { flowId }, quotas)),
      ...(await takeSlot('workspaceSlot', { workspaceId }, quotas)),
    };
    try {
      return await create(slots);
    } catch (error) {
      const isTaken = Object.values(SLOT_INDEXES).some((index) => isDuplicateKey(error, index));
      if (!isTaken) throw error;
    }
  }
}

/** Chooses a free slot; none where there is no quota. Throws `QUOTA_REACHED` when each slot is taken. */
async function takeSlot(
  slot: Slot,
  of: { flowId: number } | { workspaceId: number },
  quotas: TriggerQuotas,
): Promise<Slots> {
  const { limit } = quotas[slot];
  if (limit === null) return {};
  const taken = (await quotas.findSlots(of, limit)).flatMap((holder) => holder[slot] ?? []);
  if (taken.length >= limit) throw quotaReached(slot, limit, quotas);
  return { [slot]: nthFreeSlot(taken, Math.floor(Math.random() * (limit - taken.length))) };
}

function quotaReached(slot: Slot, limit: number, quotas: TriggerQuotas) {
  const owner = slot === 'flowSlot' ? 'flow' : 'workspace';
  const detail = `A ${owner} may have ${limit} ${quotas.kind} at most.`;
  return quotaProblem(QuotaReached, quotas[slot].name, limit, detail);
}
