import type { Patch } from './patch.ts';

/** Keeps JSONata from writing into the input and from reading members of data as the marks of a sequence. */
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

/** Defines members whose names the frozen prototypes have as well, because assigning such a member throws. */
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

/** Freezes syntax trees, because all evaluations share them. `$eval` is removed, because it makes unchecked trees. */
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
