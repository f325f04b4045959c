import { takesIfMatch } from '../../../contract/etag-rule.ts';
import type { IdentifiedRequest } from '../gateway-request.ts';

/** The `If-Match` of a change. The service compares it with the ETag of the current resource (RFC 9110, section 13.1.1). */
export const ifMatchOf = ({
  route,
  http,
}: Pick<IdentifiedRequest, 'route' | 'http'>): string | undefined =>
  takesIfMatch(route.contract) ? http.headers['if-match'] : undefined;
