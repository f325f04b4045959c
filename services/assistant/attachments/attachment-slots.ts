import { type QuotaName, QuotaReached, quotaProblem } from '../../../contract/quota.ts';
import { environment } from '../../../environment/environment.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { createInSlot } from '../../../mixins/database/quota-slots.ts';
import { ATTACHMENT_QUOTA_INDEX, AttachmentModel } from '../../../models/attachment.model.ts';
import { chooseFreeSlot } from '../../../support/quota-slot.ts';
import { attachments, type StoredAttachment } from './attachments.store.ts';

const QUOTA: QuotaName = 'ATTACHMENTS_PER_CONVERSATION';

/** Creates an attachment in a free slot of its conversation. Throws 409 `QUOTA_REACHED` where there is none. */
export function createInConversation(
  attachment: Parameters<typeof attachments.create>[0],
  change: ChangeContext,
): Promise<StoredAttachment> {
  const { [QUOTA]: quota } = environment;
  if (quota === null) return attachments.create(attachment, change);
  return createInSlot([ATTACHMENT_QUOTA_INDEX], async () => {
    const quotaSlot = await freeSlot(attachment.conversationId, quota);
    return attachments.create({ ...attachment, quotaSlot }, change);
  });
}

/** Throws 409 where no slot is free now, before the bytes are read. */
export async function assertSlotFree(conversationId: number): Promise<void> {
  const { [QUOTA]: quota } = environment;
  if (quota !== null) await freeSlot(conversationId, quota);
}

async function freeSlot(conversationId: number, quota: number): Promise<number> {
  const holders = await AttachmentModel.find({ conversationId }, { quotaSlot: 1 })
    .limit(quota)
    .lean();
  const slots = holders.map(({ quotaSlot }) => quotaSlot);
  return chooseFreeSlot(slots, quota, () => tooMany(quota));
}

const tooMany = (quota: number) =>
  quotaProblem(QuotaReached, QUOTA, quota, `A conversation may have ${quota} attachments at most.`);
