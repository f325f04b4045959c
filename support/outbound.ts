import {
  AllowList,
  createOutboundClient,
  type OutboundClient,
} from '@workspace-automation/outbound-http';
import { environment } from '../environment/environment.ts';

/** The variable that an operator changes to allow a target. Refusals name the variable. */
const SETTING = 'OUTBOUND_ALLOW';

/** The targets that the operator allows although they are not public. */
export const allowedTargets = (): AllowList => new AllowList(environment[SETTING], SETTING);

/** Makes the client of the service for addresses that users chose. */
export const createServiceClient = (): OutboundClient =>
  createOutboundClient({ allow: allowedTargets() });
