import {
  credentialOriginRefused,
  type FlowError,
  flowError,
  referenceNotFound,
} from '@workspace-automation/flow-language';
import type { Actions } from '../../../../contracts.ts';

type CallRefusal = Extract<Actions['connections.prepareCall']['result'], { ok: false }>;

/** Makes the flow's error for a call that `connections` does not prepare. */
export function refusalError({ code, detail }: CallRefusal): FlowError {
  switch (code) {
    case 'REFERENCE_NOT_FOUND':
      return referenceNotFound(detail);
    case 'CREDENTIAL_ORIGIN_REFUSED':
      return credentialOriginRefused(detail);
    case 'PLACEHOLDERS_INVALID':
      return flowError('expression', 'EXPRESSION_FAILED', detail);
    case 'TOKEN_REFUSED':
      return flowError('authentication', 'HTTP_STATUS', detail);
    case 'TOKEN_UNAVAILABLE':
      return flowError('communication', 'CONNECTION_FAILED', detail);
  }
}
