import { type QuotaName, QuotaReached, quotaProblem } from '../../contract/quota.ts';
import { createInSlot } from '../../mixins/database/quota-slots.ts';
import { SLOT_INDEXES } from '../../models/trigger-slots.ts';
import { chooseFreeSlot } from '../../support/quota-slot.ts';

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

/** Creates a trigger within its quotas. */
export function createWithinQuotas<T>(
  quotas: TriggerQuotas,
  { flowId, workspaceId }: Place,
  create: (slots: Slots) => Promise<T>,
): Promise<T> {
  return createInSlot(Object.values(SLOT_INDEXES), async () => {
    const slots = {
      ...(await takeSlot('flowSlot', { flowId }, quotas)),
      ...(await takeSlot('workspaceSlot', { workspaceId }, quotas)),
    };
    return create(slots);
  });
}

/** Chooses a free slot; none where there is no quota. Throws `QUOTA_REACHED` when each slot is taken. */
async function takeSlot(
  slot: Slot,
  of: { flowId: number } | { workspaceId: number },
  quotas: TriggerQuotas,
): Promise<Slots> {
  const { limit } = quotas[slot];
  if (limit === null) return {};
  const slots = (await quotas.findSlots(of, limit)).map((holder) => holder[slot]);
  return { [slot]: chooseFreeSlot(slots, limit, () => quotaReached(slot, limit, quotas)) };
}

function quotaReached(slot: Slot, limit: number, quotas: TriggerQuotas) {
  const owner = slot === 'flowSlot' ? 'flow' : 'workspace';
  const detail = `A ${owner} may have ${limit} ${quotas.kind} at most.`;
  return quotaProblem(QuotaReached, quotas[slot].name, limit, detail);
}
