import { joinNames, quote } from '../faults.ts';
import { didYouMean } from '../nearest-name.ts';
import { keys, readMap, wrongType } from '../shape.ts';
import { readTemplate } from '../template.ts';
import type { Node } from '../tree.ts';
import { stringOf } from '../tree.ts';
import { readApiDescriptionCall } from './call-api-description.ts';
import { readHttpCall } from './call-http.ts';
import type { BodyReader, Place } from './place.ts';
import type { Kind } from './task.ts';

/** The calls of the DSL and of this profile: each has a reader or is not supported. */
const CALLS: Readonly<Record<string, BodyReader | 'refused' | 'unsupported'>> = {
  http: readHttpCall,
  apiDescription: readApiDescriptionCall,
  issue: 'unsupported',
  agent: 'unsupported',
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
    if (call === 'unsupported') {
      checkArguments(fields.get('with'), place);
      place.context.fault(node, 'NOT_YET_SUPPORTED', `"call: ${name}" is not supported yet.`);
    } else if (call === 'refused') {
      const message = `"call: ${name}" is not offered by this service.`;
      place.context.fault(node, 'REFUSED', message);
    } else {
      const names = Object.keys(CALLS).filter((one) => typeof CALLS[one] === 'function');
      const message = `No call has the name ${quote(name)}; ${didYouMean(name, names)}allowed: ${joinNames(names)}.`;
      place.context.fault(node, 'INVALID_VALUE', message);
    }
    return undefined;
  },
};

/** Checks the expressions in the arguments of a call that is not supported yet. */
function checkArguments(node: Node | undefined, { scope, context }: Place): void {
  if (node && readMap(node, '"with"', context)) readTemplate(node, scope, context);
}
