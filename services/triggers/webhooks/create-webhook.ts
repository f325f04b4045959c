import { randomBytes } from 'node:crypto';
import { noFlow } from '../../../contract/problem.ts';
import { environment } from '../../../environment/environment.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { WebhookModel } from '../../../models/webhook.model.ts';
import { hashOf } from '../../../support/hash.ts';
import type { Params } from '../../contracts.ts';
import type { Webhook } from '../contract/resources.ts';
import type { FindFlow, FlowSummary } from '../flow-directory.ts';
import { removeTrigger } from '../remove-of-flows.ts';
import { createWithinQuotas, type Slots, type TriggerQuotas } from '../trigger-quotas.ts';
import { showWebhook } from './show-webhook.ts';
import { openTokens, type Sealer, sealSecrets } from './webhook-secrets.ts';
import { webhooks } from './webhooks.store.ts';

/** Bytes of a token: nobody guesses it. */
const TOKEN_BYTES = 32;

export interface WebhookTools {
  sealer: Sealer;
  findFlow: FindFlow;
}

/** Creates a webhook of a flow. A flow that is deleted meanwhile is a 404, and leaves no webhook. */
export async function createWebhook(
  { workspaceId, id: flowId }: FlowSummary,
  { secret = null }: Params<'triggers.createWebhook'>,
  change: ChangeContext,
  { sealer, findFlow }: WebhookTools,
): Promise<Webhook> {
  const earlier = change.reservedId === undefined ? null : await webhooks.find(change.reservedId);
  const created = earlier ?? (await store({ workspaceId, flowId }, secret, change, sealer));
  if (await findFlow(flowId)) {
    const [token] = await openTokens([created], sealer);
    return showWebhook(created, token ?? '');
  }
  await removeTrigger(webhooks, created._id);
  throw noFlow(flowId);
}

async function store(
  place: { workspaceId: number; flowId: number },
  secret: string | null,
  change: ChangeContext,
  sealer: Sealer,
) {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const _id = change.reservedId ?? (await nextId('webhooks'));
  const sealed = await sealSecrets({ _id, workspaceId: place.workspaceId }, token, secret, sealer);
  const now = new Date();
  const fields = { _id, ...place, tokenHash: hashOf(token), ...sealed };
  const made = { createdBy: change.actor, createdAt: now, updatedAt: now };
  return createWithinQuotas(QUOTAS, place, (slots) =>
    webhooks.create({ ...fields, ...made, ...slots }, change),
  );
}

const QUOTAS: TriggerQuotas = {
  kind: 'webhooks',
  flowSlot: { name: 'WEBHOOKS_PER_FLOW', limit: environment.WEBHOOKS_PER_FLOW },
  workspaceSlot: { name: 'WEBHOOKS_PER_WORKSPACE', limit: environment.WEBHOOKS_PER_WORKSPACE },
  findSlots: (of, limit) =>
    WebhookModel.find(of, { flowSlot: 1, workspaceSlot: 1 }).limit(limit).lean<Slots[]>().exec(),
};
