import type { IdentifiedRequest } from '../gateway-request.ts';

/** The `If-Match` of a change. The service compares it with the ETag of the current resource (RFC 9110, section 13.1.1). */
export const ifMatchOf = ({
  route,
  http,
}: Pick<IdentifiedRequest, 'route' | 'http'>): string | undefined =>
  route.contract.etag && route.method !== 'GET' ? http.headers['if-match'] : undefined;
