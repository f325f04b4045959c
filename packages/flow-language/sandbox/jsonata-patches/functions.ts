import type { Patch } from './patch.ts';

/** Marks functions by a brand that no expression can write, copy or remove. */
export const FUNCTION_BRAND: readonly Patch[] = [
  {
    find: `    function isFunction(arg) {
        return ((arg && (arg._jsonata_function === true || arg._jsonata_lambda === true)) || typeof arg === 'function');
    }`,
    replace: `    class Brand extends (function (object) { return object; }) {
        #brand;
        static has(value) { return typeof value === 'object' && value !== null && #brand in value; }
    }

    function seal(procedure) {
        new Brand(procedure);
        return Object.freeze(procedure);
    }

    function callback(implementation, arity = implementation.length) {
        return seal({
            _jsonata_function: true,
            implementation,
            arity,
            isCallback: true,
            apply: (self, args) => implementation.apply(self, args)
        });
    }

    function freezeTree(tree) {
        if (tree === null || typeof tree !== 'object' && typeof tree !== 'function') return tree;
        if (Object.isFrozen(tree)) return tree;
        Object.freeze(tree);
        Reflect.ownKeys(tree).forEach((key) => freezeTree(tree[key]));
        // Nodes of a syntax tree inherit from the parser's symbols.
        var prototype = Object.getPrototypeOf(tree);
        if (prototype && !Object.hasOwn(prototype, 'constructor')) freezeTree(prototype);
        return tree;
    }

    function isFunction(arg) {
        return Brand.has(arg) || typeof arg === 'function';
    }`,
  },
  {
    find: `        return arg && arg._jsonata_lambda === true;`,
    replace: `        return Brand.has(arg) && arg._jsonata_lambda === true;`,
  },
  {
    find: `        isFunction,
        isLambda,
        isIterable,
        getFunctionArity,`,
    replace: `        isFunction,
        isLambda,
        seal,
        callback,
        freezeTree,
        isIterable,
        getFunctionArity,`,
  },
  {
    find: `            definition.signature = parseSignature(signature);
        }
        return definition;`,
    replace: `            definition.signature = parseSignature(signature);
            utils.freezeTree(definition.signature);
        }
        utils.freezeTree(func);
        return utils.seal(definition);`,
  },
  {
    find: `            return await apply(procedure, args, input, !!self ? self.environment : environment);
        };
        return procedure;`,
    replace: `            return await apply(procedure, args, input, !!self ? self.environment : environment);
        };
        return utils.seal(procedure);`,
  },
  {
    find: `            arguments: unboundArgs,
            body: proc.body
        };
        return procedure;`,
    replace: `            arguments: unboundArgs,
            body: proc.body
        };
        return utils.seal(procedure);`,
  },
  {
    find: `            } else if (proc && proc._jsonata_function === true) {
                var focus`,
    replace: `            } else if (isFunction(proc) && proc._jsonata_function === true) {
                var focus`,
  },
  {
    find: `        } else if (proc && proc._jsonata_function === true) {
            result = partialApply`,
    replace: `        } else if (isFunction(proc) && proc._jsonata_function === true) {
            result = partialApply`,
  },
];

/** Hides JavaScript functions from expressions, because `await` and `JSON.stringify` would call them as methods. */
export const NO_NATIVE_FUNCTIONS: readonly Patch[] = [
  {
    find: `                closure.arity = getFunctionArity(arg);
                evaluatedArgs.push(closure);`,
    replace: `                evaluatedArgs.push(utils.callback(closure, getFunctionArity(arg)));`,
  },
  {
    find: `                result.next = function() {`,
    replace: `                result.next = utils.callback(function() {`,
  },
  {
    find: `                        return next;
                    }
                };
            }

            return result;
        };
        return closure;`,
    replace: `                        return next;
                    }
                });
            }

            return result;
        };
        return utils.callback(closure);`,
  },
  {
    find: `await comp(left[0], right[0])`,
    replace: `await comp.apply(null, [left[0], right[0]])`,
  },
];

/** Makes functions opaque: a function has no fields, equals only itself, and is an empty string in a message. */
export const OPAQUE_FUNCTIONS: readonly Patch[] = [
  {
    find: `        return typeof arg === 'object' && arg !== null ? Object.keys(arg) : [];`,
    replace: `        if (typeof arg !== 'object' || arg === null || isFunction(arg)) return [];
        return Object.keys(Array.isArray(arg) ? arg.slice() : arg); // without the marks of a sequence`,
  },
  {
    find: `        } else if (arg !== null && typeof arg === 'object' && !isLambda(arg)) {`,
    replace: `        } else if (arg !== null && typeof arg === 'object' && !isFunction(arg)) {`,
  },
  {
    find: `        if(typeof lhs === 'object' && typeof rhs === 'object' && lhs !== null && rhs !== null) {`,
    replace: `        if(isFunction(lhs) || isFunction(rhs)) {
            return false;
        }
        if(typeof lhs === 'object' && typeof rhs === 'object' && lhs !== null && rhs !== null) {`,
  },
  {
    find: `                return JSON.stringify(err[arguments[1]]);`,
    replace: `                return JSON.stringify(err[arguments[1]], (key, value) => isFunction(value) ? '' : value);`,
  },
];
