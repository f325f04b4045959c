import type { Patch } from './patch.ts';

/** Restricts the transform operator: it changes only objects of its own copy, and adds no functions to them. */
export const TRANSFORM_COPIES: readonly Patch[] = [
  {
    find: `            var cloneFunction = environment.lookup('clone');
            if(!isFunction(cloneFunction)) {
                // throw type error
                throw {
                    code: "T2013",
                    stack: (new Error()).stack,
                    position: expr.position
                };
            }
            var result = await apply(cloneFunction, [obj], null, environment);`,
    replace: `            var refuse = function (message) {
                throw { stack: (new Error()).stack, position: expr.position, message };
            };
            var membersOf = (value) => Array.isArray(value) ? value : Object.values(value);
            var result = functionClone(obj);
            var own = new Set();
            var collect = function (value) {
                if (typeof value !== 'object' || value === null) return;
                own.add(value);
                membersOf(value).forEach(collect);
            };
            collect(result);
            var withoutFunctions = new Set();
            var refuseFunctions = function (value) {
                if (isFunction(value)) refuse('the transform operator takes and gives no functions');
                if (typeof value !== 'object' || value === null || withoutFunctions.has(value)) return;
                withoutFunctions.add(value);
                membersOf(value).forEach(refuseFunctions);
            };`,
  },
  {
    find: `                    var match = matches[ii];
                    // evaluate`,
    replace: `                    var match = matches[ii];
                    if(isFunction(match)) {
                        refuse('the transform operator takes and gives no functions');
                    }
                    if(typeof match === 'object' && match !== null && !own.has(match)) {
                        refuse('the transform operator changes only the value that it is applied to');
                    }
                    // evaluate`,
  },
  {
    find: `updateType !== 'object' || update === null || Array.isArray(update)`,
    replace: `updateType !== 'object' || update === null || Array.isArray(update) || isFunction(update)`,
  },
  {
    find: `                            match[prop] = update[prop];`,
    replace: `                            if(typeof match !== 'object' || match === null || Array.isArray(match)) {
                                refuse('the transform operator changes only objects');
                            }
                            refuseFunctions(update[prop]);
                            Object.defineProperty(match, prop, {
                                value: update[prop], writable: true, enumerable: true, configurable: true
                            });`,
  },
  {
    find: `                                if(typeof match === 'object' && match !== null) {
                                    delete`,
    replace: `                                if(typeof match === 'object' && match !== null && !Array.isArray(match)) {
                                    delete`,
  },
];
