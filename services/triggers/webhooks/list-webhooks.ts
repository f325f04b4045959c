import { ascendingBy } from '../../../contract/page-order.ts';
import type { Position } from '../../../contract/page-position.ts';
import type { Page } from '../../../contract/pages.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import { WebhookModel } from '../../../models/webhook.model.ts';
import type { Webhook } from '../contract/resources.ts';
import { showWebhook } from './show-webhook.ts';
import { openTokens, type Sealer } from './webhook-secrets.ts';
import { type StoredWebhook, webhooks } from './webhooks.store.ts';

/** The webhooks of a flow, by id. */
export async function listWebhooks(
  { flowId, ...position }: Position & { flowId: number },
  sealer: Sealer,
): Promise<Page<Webhook>> {
  const order = ascendingBy('_id');
  const query = { filter: { flowId }, order, position, projection: webhooks.projection };
  const page = await readPage(WebhookModel, query, (webhook: StoredWebhook) => webhook);
  const tokens = await openTokens(page.items, sealer);
  const items = page.items.map((webhook, at) => showWebhook(webhook, tokens[at] ?? ''));
  return { ...page, items };
}
