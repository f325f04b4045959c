/** The errors of a call that a host cannot send (flow language, section 4). */
import { type FlowError, flowError } from './problem.ts';

/** The API description or credential does not exist in the workspace when the task runs. */
export const referenceNotFound = (detail: string): FlowError =>
  flowError('validation', 'REFERENCE_NOT_FOUND', detail);

/** The run has no configuration store, or the store has no pair of credentials for the flow. */
export const configurationMissing = (detail: string): FlowError =>
  flowError('validation', 'CONFIGURATION_MISSING', detail);

/** The request would go to an origin that its credential does not allow. */
export const credentialOriginRefused = (detail: string): FlowError =>
  flowError('authorization', 'CREDENTIAL_ORIGIN_REFUSED', detail);
