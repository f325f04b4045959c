import type { Patch } from './patch.ts';

/** The input of an expression is never written to, and a member of data never counts as a mark of a sequence. */
export const READ_ONLY_DATA: readonly Patch[] = [
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

/** Members whose names the frozen prototypes have as well are defined: assigning them would throw. */
export const FROZEN_PROTOTYPES: readonly Patch[] = [
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

/** Syntax trees are frozen, since all evaluations share them. `$eval` is removed: it would make unchecked ones. */
export const FROZEN_SYNTAX_TREES: readonly Patch[] = [
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
