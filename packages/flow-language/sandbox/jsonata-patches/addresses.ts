import type { Patch } from './patch.ts';

/**
 * Lets `&` fail in the address of a call where its right operand would be a segment of the path and is undefined, null
 * or empty: behind a `/`, and null anywhere, as the query and the fragment have not begun.
 */
export const ADDRESS_SEGMENTS: readonly Patch[] = [
  {
    find: `                    result = evaluateStringConcat(lhs, rhs);
                    break;`,
    replace: `                    result = evaluateStringConcat(lhs, rhs);
                    if((rhs === undefined || rhs === null || rhs === '') && environment.lookup('is an address')) {
                        var before = evaluateStringConcat(lhs, undefined);
                        if(!/[?#]/.test(before) && (rhs === null || before.endsWith('/'))) {
                            throw {
                                stack: (new Error()).stack,
                                position: expr.position,
                                message: "a part of the endpoint's path is undefined, null or empty behind " + JSON.stringify(before)
                            };
                        }
                    }
                    break;`,
  },
];
