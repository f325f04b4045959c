import { z } from 'zod';
import { isSafeProviderUrl } from '../../../../environment/values/provider-url.ts';
import { callProvider, outage } from './provider-call.ts';

/** The provider's answer to a registration (RFC 7591, section 3.2.1; RFC 7592, section 3). */
const Registered = z.object({
  client_id: z.string().min(1).max(500),
  client_secret: z.string().min(1).max(4_000),
  registration_access_token: z.string().min(1).max(8_000),
  registration_client_uri: z.string().max(2_000).refine(isSafeProviderUrl),
});

export interface RegisteredClient {
  clientId: string;
  clientSecret: string;
  managementUrl: string;
  managementToken: string;
}

/** Registers a client for client credentials (RFC 7591). */
export async function registerClient(
  url: string,
  initialToken: string | undefined,
  name: string,
): Promise<RegisteredClient> {
  const body = {
    client_name: name,
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    token_endpoint_auth_method: 'client_secret_basic',
  };
  const answer = await callProvider(url, { method: 'POST', token: initialToken, body });
  if (answer.status !== 201 && answer.status !== 200) {
    throw outage(`the registration was answered ${answer.status} ${errorOf(answer.body)}`);
  }
  const parsed = Registered.safeParse(answer.body);
  if (!parsed.success) throw outage('the registration was answered without its fields', true);
  const { data } = parsed;
  return {
    clientId: data.client_id,
    clientSecret: data.client_secret,
    managementUrl: data.registration_client_uri,
    managementToken: data.registration_access_token,
  };
}

/** The `error` of an OAuth answer, for the log. */
const errorOf = (body: unknown): string =>
  String((body as { error?: unknown } | null)?.error ?? '').slice(0, 100);

/** The address and the token by which a client is managed. */
export type Management = Pick<RegisteredClient, 'managementUrl' | 'managementToken'>;

/** Removes a client (RFC 7592, section 2.3). A client that is gone already counts as removed. */
export async function removeClient({ managementUrl, managementToken: token }: Management) {
  const { status } = await callProvider(managementUrl, { method: 'DELETE', token });
  if (status === 204 || status === 200 || isGone(status)) return;
  throw outage(`the removal was answered ${status}`);
}

/** Whether the provider has the client (RFC 7592, section 2.1). */
export async function hasClient({ managementUrl, managementToken: token }: Management) {
  const { status } = await callProvider(managementUrl, { token });
  if (status === 200) return true;
  if (isGone(status)) return false;
  throw outage(`the client's management was answered ${status}`);
}

/** A provider answers 401 for a client that is gone, since the token is gone with the client. */
const isGone = (status: number): boolean => status === 401 || status === 404 || status === 410;
