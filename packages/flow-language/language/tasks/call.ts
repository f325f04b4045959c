import { joinNames, quote } from '../faults.ts';
import { didYouMean } from '../nearest-name.ts';
import { insteadOfRefused } from '../refused-words.ts';
import { keys, wrongType } from '../shape.ts';
import { stringOf } from '../tree.ts';
import { readAgentCall } from './call-agent.ts';
import { readApiDescriptionCall } from './call-api-description.ts';
import { readHttpCall } from './call-http.ts';
import { readIssueCall } from './call-issue.ts';
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

export const CALL: Kind = {
  keys: keys({ required: 'call with' }),
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
