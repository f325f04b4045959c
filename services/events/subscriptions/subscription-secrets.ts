import type { ServiceBroker } from 'moleculer';
import { asSystem } from '../../../contract/caller.ts';
import { TtlCache } from '../../../support/ttl-cache.ts';
import type { Actions } from '../../contracts.ts';

/** Milliseconds that an opened secret stays in memory; then it is opened again. */
const OPENED_MS = 60_000;
/** The name of the field that a sealed secret is bound to, besides its workspace and its subscription. */
const FIELD = 'subscription-secret' as const;

/** The subscription that a secret belongs to. */
export interface SecretPlace {
  workspaceId: number;
  subscriptionId: number;
}

/** Seals and opens the secrets of subscriptions. */
export interface SubscriptionSecrets {
  seal(place: SecretPlace, secret: string): Promise<string>;
  /** An opened secret is remembered for a minute at most. */
  open(place: SecretPlace, sealed: string): Promise<string>;
}

/** The secrets as `connections` seals and opens them with the key of the workspace. */
export function subscriptionSecretsOf(broker: ServiceBroker): SubscriptionSecrets {
  const opened = new TtlCache<{ secret: string }>(OPENED_MS);
  const ask = <N extends 'connections.sealTexts' | 'connections.openTexts'>(
    name: N,
    params: Actions[N]['params'],
  ) => broker.call<Actions[N]['result'], Actions[N]['params']>(name, params, asSystem('events'));
  const open = async ({ workspaceId, subscriptionId: id }: SecretPlace, sealed: string) => {
    const texts = [{ workspaceId, id, field: FIELD, sealed }];
    const [secret] = (await ask('connections.openTexts', { texts })).opened;
    if (typeof secret !== 'string') throw new TypeError(`The secret of ${id} does not open`);
    return { secret };
  };
  return {
    async seal({ workspaceId, subscriptionId: id }, secret) {
      const texts = [{ id, field: FIELD, text: secret }];
      const [sealed] = (await ask('connections.sealTexts', { workspaceId, texts })).sealed;
      if (sealed === undefined) throw new TypeError('A secret was not sealed');
      return sealed;
    },
    open: async (place, sealed) =>
      (await opened.get(`${place.subscriptionId}:${sealed}`, () => open(place, sealed))).secret,
  };
}
