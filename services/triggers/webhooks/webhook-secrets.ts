import { Problem, Unavailable } from '../../../contract/problem.ts';
import type { WebhookDocument } from '../../../models/webhook.model.ts';
import type { Actions } from '../../contracts.ts';

/** The calls of `connections` that webhooks make. */
export interface Sealer {
  seal: (
    params: Actions['connections.sealTexts']['params'],
  ) => Promise<Actions['connections.sealTexts']['result']>;
  open: (
    params: Actions['connections.openTexts']['params'],
  ) => Promise<Actions['connections.openTexts']['result']>;
}

interface Place {
  _id: number;
  workspaceId: number;
}

/** Seals the token of a new webhook, and its secret where it has one. */
export async function sealSecrets(
  { _id: id, workspaceId }: Place,
  token: string,
  secret: string | null,
  { seal }: Sealer,
): Promise<Pick<WebhookDocument, 'sealedToken' | 'sealedSecret'>> {
  const texts = [
    { id, field: 'webhook-token' as const, text: token },
    ...(secret === null ? [] : [{ id, field: 'webhook-secret' as const, text: secret }]),
  ];
  const { sealed } = await seal({ workspaceId, texts });
  const [sealedToken, sealedSecret = null] = sealed;
  if (sealedToken === undefined) throw new TypeError('a sealed text is missing');
  return { sealedToken, sealedSecret };
}

/** Webhooks whose tokens one call opens. */
const MAX_OPENED = 100;

/** Opens the tokens of webhooks, in their order. */
export async function openTokens(
  webhooks: readonly (Place & Pick<WebhookDocument, 'sealedToken'>)[],
  { open }: Sealer,
): Promise<string[]> {
  const tokens: string[] = [];
  for (let at = 0; at < webhooks.length; at += MAX_OPENED) {
    const texts = webhooks
      .slice(at, at + MAX_OPENED)
      .map(({ _id: id, workspaceId, sealedToken: sealed }) => ({
        workspaceId,
        id,
        field: 'webhook-token' as const,
        sealed,
      }));
    tokens.push(...(await open({ texts })).opened.map(assertOpened));
  }
  return tokens;
}

/** Opens the secret of a webhook. */
export async function openSecret(
  { _id: id, workspaceId }: Place,
  sealed: string,
  { open }: Sealer,
): Promise<string> {
  const field = 'webhook-secret' as const;
  const { opened } = await open({ texts: [{ workspaceId, id, field, sealed }] });
  return assertOpened(opened[0] ?? null);
}

/** A text does not open while its workspace is deleted, whose data key goes first. */
function assertOpened(text: string | null): string {
  if (text !== null) return text;
  throw new Problem(Unavailable, 'A secret of the webhook cannot be opened.', { retryAfter: 5 });
}
