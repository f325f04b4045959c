import {
  fillUrlTemplate,
  parseUrlTemplate,
  UrlTemplateError,
} from '@workspace-automation/outbound-http';
import type { Params } from '../../contracts.ts';
import {
  apiDescriptions,
  type StoredApiDescription,
} from '../api-descriptions/api-descriptions.store.ts';
import { authCredentials } from '../auth-credentials/auth-credentials.store.ts';
import { type CredentialTools, prepareCredential } from '../auth-credentials/prepare-credential.ts';
import type { CallRefusal, PreparedRequest } from '../contract/internal.ts';

type CallParams = Params<'connections.prepareCall'>;

/** Prepares a request through an API description: fills its URL and puts the credential's secret into the request. */
export async function prepareCall(
  call: CallParams,
  tools: CredentialTools,
): Promise<PreparedRequest | CallRefusal> {
  const { workspaceId, apiDescriptionId, refusedToken } = call;
  const description = await apiDescriptions.find(apiDescriptionId);
  if (description?.workspaceId !== workspaceId) return missing('API description', apiDescriptionId);
  const url = fillUrl(description, call);
  if (!(url instanceof URL)) return url;
  const { methodType: method } = description;
  const id = credentialOf(description, call);
  if (id === null) return { ok: true, method, url: url.href, ...NO_SECRET };
  const credential = await authCredentials.find(id);
  if (credential?.workspaceId !== workspaceId) return missing('auth credential', id);
  const prepared = await prepareCredential(credential, url, tools, { refusedToken });
  return prepared.ok ? { ...prepared, method } : prepared;
}

const NO_SECRET = { secretHeaders: {}, credentialId: null, secrets: [], tokenId: null };

/** The id of the credential that the call is made with; null without a credential. */
function credentialOf(
  { authCredentialId }: StoredApiDescription,
  { credential }: CallParams,
): number | null {
  if (credential.kind === 'none') return null;
  return credential.kind === 'id' ? credential.id : authCredentialId;
}

function fillUrl(
  { url }: StoredApiDescription,
  { path, query }: Pick<CallParams, 'path' | 'query'>,
): URL | CallRefusal {
  try {
    return fillUrlTemplate(parseUrlTemplate(url), { path, query });
  } catch (error) {
    if (!(error instanceof UrlTemplateError)) throw error;
    const { message: detail, value } = error;
    const field = value ? { field: `${value.part}.${value.name}` } : {};
    return { ok: false, code: 'PLACEHOLDERS_INVALID', detail, ...field };
  }
}

const missing = (what: string, id: number): CallRefusal => ({
  ok: false,
  code: 'REFERENCE_NOT_FOUND',
  detail: `The workspace has no ${what} ${id}.`,
});
