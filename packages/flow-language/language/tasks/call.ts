import { joinNames, quote } from '../faults.ts';
import { didYouMean } from '../nearest-name.ts';
import { insteadOfRefused } from '../refused-words.ts';
import { type Keys, keys, wrongType } from '../shape.ts';
import { stringOf } from '../tree.ts';
import { AGENT_KEYS, readAgentCall } from './call-agent.ts';
import { API_DESCRIPTION_KEYS, readApiDescriptionCall } from './call-api-description.ts';
import { HTTP_KEYS, readHttpCall } from './call-http.ts';
import { ISSUE_KEYS, readIssueCall } from './call-issue.ts';
import type { BodyReader } from './place.ts';
import type { Kind } from './task.ts';

/** The calls of the DSL and of this profile: each has a reader or is refused. */
const CALLS: Readonly<Record<string, BodyReader | 'refused'>> = {
  http: readHttpCall,
  apiDescription: readApiDescriptionCall,
  issue: readIssueCall,
  agent: readAgentCall,
  grpc: 'refused',
  asyncapi: 'refused',
  openapi: 'refused',
};

/** The members of `with`, of all calls. */
const WITH_KEYS: Keys = new Map([
  ...HTTP_KEYS,
  ...API_DESCRIPTION_KEYS,
  ...ISSUE_KEYS,
  ...AGENT_KEYS,
]);

export const CALL: Kind = {
  keys: keys({ required: 'call with' }),
  hasForm: (node) => stringOf(node) !== null,
  members: { with: { keys: WITH_KEYS } },
  read(fields, place) {
    const node = fields.get('call');
    if (!node) return undefined;
    const name = stringOf(node);
    if (name === null) {
      wrongType(node, '"call"', 'a string', place.context);
      return undefined;
    }
    const call = Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
    if (typeof call === 'function') return call(fields, place);
    if (call === 'refused') {
      const message = `"call: ${name}" is not offered by this service${insteadOfRefused(name)}.`;
      place.context.fault(node, 'REFUSED', message);
    } else {
      const names = Object.keys(CALLS).filter((one) => typeof CALLS[one] === 'function');
      const message = `No call has the name ${quote(name)}; ${didYouMean(name, names)}allowed: ${joinNames(names)}.`;
      place.context.fault(node, 'INVALID_VALUE', message);
    }
    return undefined;
  },
};
