/**
 * What is changed in JSONata 2.2.2 before an expression meets it. Its functions are ordinary objects there,
 * into which expressions can write and whose fields they can read; here a function is opaque and frozen,
 * and an evaluation writes into nothing that it hasn't made itself.
 */
export interface Patch {
  /** Occurs exactly once. */
  find: string;
  replace: string;
}

/** A brand that no expression can write, copy or remove tells functions from data. */
const FUNCTIONS_ARE_BRANDED: readonly Patch[] = [
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

/** No expression gets hold of a function of JavaScript's own, which \`await\` or \`JSON.stringify\` would call. */
const NO_NATIVE_FUNCTIONS: readonly Patch[] = [
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

/** A function has no fields, is equal to itself only, and is nothing in a message. */
const FUNCTIONS_ARE_OPAQUE: readonly Patch[] = [
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

/** Where a function was called from goes with the call; the function itself isn't written to. */
const CALLS_LEAVE_NO_MARK: readonly Patch[] = [
  {
    find: `            if(typeof proc === 'object') {
                proc.token = procName;
                proc.position = expr.position;
            }
            result = await apply(proc, evaluatedArgs, input, environment);`,
    replace: `            result = await apply(proc, evaluatedArgs, input, environment, {
                token: procName,
                position: expr.position
            });`,
  },
  {
    find: `    async function apply(proc, args, input, environment) {
        var result;
        result = await applyInner(proc, args, input, environment);`,
    replace: `    async function apply(proc, args, input, environment, site) {
        var result;
        result = await applyInner(proc, args, input, environment, site);`,
  },
  {
    find: `            if(result.body.procedure.type === 'variable') {
                next.token = result.body.procedure.value;
            }
            next.position = result.body.procedure.position;`,
    replace: `            var nextSite = {position: result.body.procedure.position};
            if(result.body.procedure.type === 'variable') {
                nextSite.token = result.body.procedure.value;
            }`,
  },
  {
    find: `            result = await applyInner(next, evaluatedArgs, input, environment);`,
    replace: `            result = await applyInner(next, evaluatedArgs, input, environment, nextSite);`,
  },
  {
    find: `    async function applyInner(proc, args, input, environment) {`,
    replace: `    async function applyInner(proc, args, input, environment, site) {`,
  },
  {
    find: `            if(proc) {
                if (typeof err.token == 'undefined' && typeof proc.token !== 'undefined') {
                    err.token = proc.token;
                }
                err.position = proc.position || err.position;
            }`,
    replace: `            if(proc && site && !proc.isCallback) {
                if (typeof err.token == 'undefined' && typeof site.token !== 'undefined') {
                    err.token = site.token;
                }
                err.position = site.position || err.position;
            }`,
  },
];

/** The transform operator changes objects of its own copy, and gives them no functions. */
const TRANSFORMS_CHANGE_COPIES: readonly Patch[] = [
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

/** What an expression is given is not written to, and a member of data is no mark of a sequence. */
const DATA_IS_READ_ONLY: readonly Patch[] = [
  {
    find: `            input.push(undefined);`,
    replace: `            input = [undefined];`,
  },
  {
    find: `        if(!Array.isArray(tupleStream)) {
            return tupleStream;
        }`,
    replace: `        if(!Array.isArray(tupleStream)) {
            return Object.assign(Object.create(null), tupleStream);
        }`,
  },
  {
    find: `            resultSequence.keepSingleton = true;`,
    replace: `            if(!Array.isArray(resultSequence) || resultSequence.sequence) {
                resultSequence.keepSingleton = true;
            }`,
  },
  {
    find: `        var reduce = input && input.tupleStream ? true : false;`,
    replace: `        var reduce = Array.isArray(input) && input.tupleStream ? true : false;`,
  },
  {
    find: `        var isTupleSort = input.tupleStream ? true : false;`,
    replace: `        var isTupleSort = Array.isArray(input) && input.tupleStream ? true : false;`,
  },
  {
    find: `        if( input && input.tupleStream) {`,
    replace: `        if(Array.isArray(input) && input.tupleStream) {`,
  },
  {
    find: `            result = input && input.outerWrapper ? input[0] : input;`,
    replace: `            result = Array.isArray(input) && input.outerWrapper ? input[0] : input;`,
  },
];

/** Members that the prototypes have as well can't be assigned once these are frozen. */
const PROTOTYPES_ARE_FROZEN: readonly Patch[] = [
  {
    find: `                    var sequence = [];
                    if (options && options.sequence) {
                        sequence.push = function(...items) {
                            if(sequence.length + items.length > options.sequence) {
                                throw {
                                    code: "D2015",
                                    stack: (new Error()).stack,
                                    value: options.sequence
                                };
                            }
                            return Array.prototype.push.apply(sequence, items);
                        };
                    }
                    sequence.sequence = true;`,
    replace: `                    var sequence = new Sequence(options && options.sequence || Infinity);`,
  },
  {
    find: `    var staticFrame = createFrame(null);`,
    replace: `    // Fields of a class are defined, not assigned.
    class Sequence extends (function () { return []; }) {
        push = limitedPush;
        sequence = true;
        limit;

        constructor(limit) {
            super();
            this.limit = limit;
        }
    }

    function limitedPush(...items) {
        if(this.length + items.length > this.limit) {
            throw {
                code: "D2015",
                stack: (new Error()).stack,
                value: this.limit
            };
        }
        return Array.prototype.push.apply(this, items);
    }
    utils.freezeTree(limitedPush);

    var staticFrame = createFrame(null);`,
  },
  {
    find: `                    var tuple = {'@': sorted[ss]};`,
    replace: `                    var tuple = Object.assign(Object.create(null), {'@': sorted[ss]});`,
  },
  {
    find: `        var properties = defaults;`,
    replace: `        var properties = Object.assign(Object.create(null), defaults);`,
  },
];

/** Syntax trees are shared by all evaluations; \`$eval\` would make some that no check of a file has seen. */
const NOTHING_ELSE_IS_SHARED: readonly Patch[] = [
  {
    find: `    var chainAST = parser('function($f, $g) { function($x){ $g($f($x)) } }');`,
    replace: `    var chainAST = utils.freezeTree(parser('function($f, $g) { function($x){ $g($f($x)) } }'));`,
  },
  {
    find: `            global: enclosingEnvironment ? enclosingEnvironment.global : {
                ancestry: [ null ]
            }`,
    replace: `            global: null`,
  },
  {
    find: `    staticFrame.bind('eval', defineFunction(functionEval, '<sx?:x>'));`,
    replace: ``,
  },
];

export const PATCHES: readonly Patch[] = [
  FUNCTIONS_ARE_BRANDED,
  NO_NATIVE_FUNCTIONS,
  FUNCTIONS_ARE_OPAQUE,
  CALLS_LEAVE_NO_MARK,
  TRANSFORMS_CHANGE_COPIES,
  DATA_IS_READ_ONLY,
  PROTOTYPES_ARE_FROZEN,
  NOTHING_ELSE_IS_SHARED,
].flat();
