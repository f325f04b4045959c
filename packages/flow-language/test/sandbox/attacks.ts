/** Expressions that try to leave something behind, or to reach what isn't theirs. None may succeed. */
import { BUILT_INS } from '../../language/names.ts';

const EVIL = '$evil := function($a, $b){ "PWNED" };';
const MARKS = '["_jsonata_function", "_jsonata_lambda", "implementation", "signature"]';

/** The expressions with which tenants were broken into each other, as they were found. */
export const FOUND: Record<string, string> = {
  'another answer of $sum': '($f := function($a){"PWNED"}; $x := {} ~> |$sum|$f|; "done")',
  'a recorder on $lowercase':
    '($seen := []; $spy := function($s){ ($seen := $append($seen, $s); $s) }; $x := {} ~> |$lowercase|$spy|; "done")',
  'the address of another call':
    '($f := function($a){"http://127.0.0.1:1/stolen"}; $x := {} ~> |$join|$f|; $y := {} ~> |$trim|$f|; "done")',
  'the limits of the evaluator':
    '($f := function($x){$x}; $x := {} ~> |$f|{}, ["_jsonata_lambda"]|; $o := $f.environment.base.options; $y := {} ~> |$o|{"stack": 7, "sequence": 3, "timeout": 1}|; "done")',
  'a value that is awaited for ever':
    '($f := function($x){$x}; $x := {} ~> |$f|{}, ["_jsonata_lambda"]|; {"then": $f.environment.bind})',
  'the constructor of regular expressions':
    '($f := function($x){$x}; $x := {} ~> |$f|{}, ["_jsonata_lambda"]|; $r := $f.environment.base.RegexEngine; $y := {} ~> |$r|{"lastIndex": 9}|; "done")',
};

const names = [...BUILT_INS, 'eval'];

const BUILT_IN_TARGETS = names.flatMap((name) => [
  `(${EVIL} $x := {} ~> |$${name}|$evil|; 1)`,
  `($x := {"a": 1} ~> |$${name}|{"implementation": "PWNED", "signature": null, "token": "x"}, ${MARKS}|; 1)`,
]);

const REBINDINGS = names.map((name) => `(${EVIL} $${name} := $evil; $${name}(1, 2))`);

const TRANSFORMS = [
  '($o := $$; $x := {} ~> |$o|{"list": "PWNED"}|; 1)',
  '($x := {} ~> |$$|{"n": "PWNED"}, ["list"]|; 1)',
  '($x := $ ~> |**|{"n": "PWNED"}|; 1)',
  '($x := {} ~> |$$.list|{"length": 0}|; 1)',
  '($x := {"l": [[1, 2]]} ~> |l|{"tupleStream": true, "sequence": true, "length": 9}|; 1)',
  '{"a": 1} ~> |$|{"then": function($r){ $r(1) }}|',
  '{"a": {}} ~> |a|{"b": [{"c": [$sum]}]}|',
  '{"a": {}} ~> |a|{"self": $}|',
  '($t := |$sum|{"implementation": 1}|; $t({}))',
  '($t := |$|{"x": $sum}|; [{}, {}].$t($))',
  '($clone := function($x){ $sum }; {} ~> |$|{"implementation": 1}|)',
  '($clone := $lookup(?, "a"); {"a": $sum} ~> |$|{"implementation": 1}|)',
  '($f := function($x){ $x }; {} ~> |$f|{}, ["_jsonata_lambda", "apply"]|)',
  '($f := function($x){ $x }; {} ~> |$f|{"body": {"type": "string", "value": "PWNED"}}|; $f(1))',
  '($f := $substring(?, 1); {} ~> |$f|{"body": "PWNED"}|)',
  '($f := $sum ~> $string; {} ~> |$f|{"environment": {}}|)',
  '($r := /a/; {} ~> |$r|{"lastIndex": 5, "apply": 1}|)',
  '($m := /a/("aaa"); {} ~> |$m.next|{"apply": 1}|)',
  '($t := |$|{}|; {} ~> |$t|{"implementation": "PWNED"}|)',
  '{"a": {"constructor": 1, "__proto__": 2}} ~> |a|{"toString": 1, "hasOwnProperty": 2, "__proto__": {"x": 1}}|',
  '({"a": 1} ~> |$|{"x": $lookup($, "constructor")}|).x',
];

const CLOSURES = [
  '($f := function($x){ $x }; [$f.environment, $f.input, $f.body, $f.arguments, $f.apply])',
  '($f := function($x){ $x }; $keys($f) ~> $join)',
  '($f := function($x){ $x }; $f.*)',
  '($f := function($x){ $x }; $f.**)',
  '($f := function($x){ $x }; $spread($f))',
  '$spread($sum)',
  '$each($sum, function($v, $k){ $k })',
  '$sift($sum, function($v, $k){ true })',
  '$merge([$sum, {"a": 1}])',
  '$merge(?)([$sum, {"a": 1}])',
  '$lookup($sum, "implementation")',
  '$lookup(?, "implementation")($sum)',
  '$sum.implementation([1])',
  '$sum.signature.validate([1], 1)',
  '$string({"f": $sum, "g": function($x){ $x }})',
  '$sum = {"_jsonata_function": true}',
  '{$sum: 1}',
  '{"_jsonata_lambda": true}',
  '$merge([forged.lambda, {"environment": $sum}])(1)',
  'forged.lambda(1)',
  'forged.native(1)',
  '$map([1, 2], forged.lambda)',
  '$merge([forged.native, {"implementation": function($x){ "PWNED" }}])(1)',
  '$append($sum, $count).implementation',
  '$reverse([$sum, $count])[0].implementation',
  '$reduce([1], function($a, $b){ $a }, $sum).implementation',
  '($g := function($h){ $h.implementation }; $g($sum))',
  '$sort([$sum, $count], function($a, $b){ $a.implementation = $b.implementation })',
];

const THENABLES = [
  '(function($g){ {"then": $g} })(function($r){ 1 })',
  '(function($g){ [{"then": $g}] })(function($r){ $r })[0]',
  '(function($g){ {"then": $g}.then(1) })(function($r){ 1 })',
  '(function($g){ $merge([{"then": $g}]) })(function($r){ 1 })',
  '(function($g){ $sift({"then": $g}, function($v){ true }) })(function($r){ 1 })',
  '(function($g){ {"a": 1} ~> |$|{"then": $g}| })(function($r){ 1 })',
  '(function($g){ [$g]@$then.{"x": 1} })(function($r){ 1 })',
  '(function($g){ [1..2]#$then.{"then": $g} })(function($r){ 1 })',
  '(function($g){ list{"then": $g} })(function($r){ 1 })',
  '{"then": /a/}',
  '{"then": /a/("a").next}',
  '(function($g){ {"toJSON": $g} & "" })(function($k){ "PWNED" })',
  '(function($g){ $string({"toString": $g, "valueOf": $g}) })(function(){ 1 })',
  '(function($g){ $formatNumber(1, "0", {"zero-digit": {"charCodeAt": $g}}) })(function(){ 1 })',
  '(function($g){ $join(?, ",")({"join": $g}) })(function(){ 1 })',
  '(function($g){ $match(?, {"apply": $g})("a") })(function(){ 1 })',
];

/** Without the check of a signature, and so with values of any kind. */
const UNCHECKED_ARGUMENTS = [
  '($g := $each(?, function($v, $k){ $k = "push" ? $v }); $g(list.$))',
  '($g := $each(?, function($v, $k){ $k = "push" ? {"then": $v} }); $g(list.$))',
  '($g := $sift(?, function($v, $k){ $k = "push" }); $g([1..2]).push(1))',
  '$merge(?)([list.$]).push',
  '$spread(?)([[list.$]]).push',
  '$map(?, ?)({"length": 2, "0": 1}, {"apply": $sum})',
  '$reduce(?, ?)(list, {"apply": function(){ 1 }, "arity": 2})',
  '$append(?, ?)({"length": 9}, $sum)',
  '$reverse(?)({"length": 3})',
  '$shuffle(?)({"length": 3, "0": $sum})',
  '$keys(?)($sum)',
  '$clone(?)($sum)',
];

const WORK_LEFT_BEHIND = [
  '[$error("x"), $sum($map([1..3000], function($x){ $x }))]',
  '{"a": $error("x"), "b": $count([1..20000].$string())}',
  '(function($g){ {"toJSON": $g} & "" })(function($k){ $count([1..2000].$string()) })',
];

const COMPARATORS = [
  '$sort([3, 1, 2], function($l, $r){ $error("x") })',
  '$sort([3, 1, 2], function($l, $r){ ($l := 9; $r := 9; true) })',
  '$sort([{"a": 1}, {"a": 2}], function($l, $r){ ($x := {} ~> |$l|{"a": "PWNED"}|; true) })',
  '$sort(list, function($l, $r){ $sort(list, function($a, $b){ false }) })',
  '$sort(?, ?)(list, function($l, $r){ $l > $r })',
  '$sort([3, 1], $sum)',
  '[3, 1, 2]^($error("x"))',
  'list^(>function(){ 1 })',
  'list^($).%',
];

const PATTERNS = [
  '($r := /(a+)+b/; $match("aaab", $r))',
  '/a/g("aXa")',
  '/a/("aa").next()',
  '/a/("aa").next().next',
  '/a/("aa").next.apply(1)',
  '$replace("abc", /b/, function($m){ $m.next })',
  '$replace("abc", /b/, function($m){ ($x := {} ~> |$m|{"start": 0, "match": ""}|; "y") })',
  '$match("abc", function($s){ {"match": $s, "start": 0, "end": 0, "groups": [], "next": function(){ undefined }} })',
  '$match("abc", function($s){ {"start": 1, "next": $sum} })',
  '$split("abc", function($s){ {"start": 0, "end": -9, "next": function(){ {"start": 0, "end": 1} }} }, 5)',
  '$contains("abc", /b/.source)',
  '($r := /a/; $r.lastIndex := 5)',
  '/b/(?, 0)("abc")',
];

const PROTOTYPES = [
  '$lookup({}, "__proto__")',
  '({}).constructor.constructor("return 1")()',
  '"".constructor',
  '[].constructor',
  '$keys({"__proto__": {"polluted": 1}})',
  '({"__proto__": {"polluted": 1}} ~> |$|{"__proto__": {"polluted": 2}}|)',
  '$merge([{"__proto__": {"polluted": 1}}, {"constructor": {"prototype": {"polluted": 1}}}])',
  '$each({"__proto__": 1, "toString": 2}, function($v, $k){ $k })',
  'list{"constructor": $sum($), "__proto__": 1}',
  'list#$constructor.{"i": $constructor}',
  '[{"toString": 1, "valueOf": 2}] & ""',
  '$sum.prototype',
  '$now.constructor',
];

const EVALUATIONS = [
  '$eval("1 + 1")',
  '($e := $eval; $e("1"))',
  '$eval(?)("1")',
  '"1" ~> $eval',
  '$map(["1"], $eval)',
  '($eval := function($x){ $x }; $eval("PWNED"))',
];

/** Marks of sequences and of function calls, as members of data. */
const CONFUSIONS = [
  'confused.$',
  'confused{"k": $n}',
  'confused#$i',
  'confused@$c.$c',
  'confused[0]',
  'empty{"x": 1}',
  '($l := empty; $l{"x": 1}; $count($l))',
  'list[]',
  'list[][0]',
  '$substring(?, operator)("abc")',
  'list.%.n',
];

export const ATTACKS: readonly string[] = [
  ...Object.values(FOUND),
  ...BUILT_IN_TARGETS,
  ...REBINDINGS,
  ...TRANSFORMS,
  ...CLOSURES,
  ...THENABLES,
  ...UNCHECKED_ARGUMENTS,
  ...WORK_LEFT_BEHIND,
  ...COMPARATORS,
  ...PATTERNS,
  ...PROTOTYPES,
  ...EVALUATIONS,
  ...CONFUSIONS,
];

/** What the attacks find in `$`; nothing of it is ever changed. */
export const ATTACKED_INPUT = {
  n: 1,
  list: [3, 1, 2],
  empty: [],
  confused: { outerWrapper: true, tupleStream: true, sequence: true, '@': { n: 1 }, n: 2 },
  operator: { type: 'operator', value: '?' },
  forged: {
    lambda: {
      _jsonata_lambda: true,
      arguments: [],
      body: { type: 'string', value: 'PWNED' },
      environment: {},
    },
    native: { _jsonata_function: true, implementation: 'PWNED' },
  },
};

/** The properties of the store that the attacks on `$properties` are made with. */
export const ATTACKED_PROPERTIES = '{"key":"theirs","list":"[1]","__proto__":"p","a.b":"d"}';

/** Expressions that try to write to `$properties`, or to leave them to another evaluation. */
export const PROPERTY_ATTACKS: readonly string[] = [
  '($x := {} ~> |$properties|{"key": "PWNED"}|; 1)',
  '($x := {} ~> |$properties|{}, ["key", "__proto__", "a.b"]|; 1)',
  '($x := $properties ~> |$|{"key": "PWNED", "__proto__": {"key": "PWNED"}}|; 1)',
  '($p := $properties; $x := {} ~> |$p|{"key": "PWNED", "added": 1}|; 1)',
  '($x := {"in": $properties} ~> |in|{"key": "PWNED"}, ["a.b"]|; 1)',
  '($x := {} ~> |**|{"key": "PWNED"}|; 1)',
  '($properties := {"key": "PWNED"}; 1)',
  '($f := function($properties){ ($properties := {"key": "PWNED"}; 1) }; $f({}))',
  '($x := $merge([$properties, {"key": "PWNED"}]); 1)',
  '($x := $spread($properties) ~> |$|{"key": "PWNED"}|; 1)',
  '($x := $each($properties, function($v, $k){ $v := "PWNED" }); 1)',
  '($x := $sift($properties, function($v, $k){ ($k := "x"; true) }) ~> |$|{"key": "PWNED"}|; 1)',
  '($x := {} ~> |$lookup($properties, "__proto__")|{"key": "PWNED"}|; 1)',
  '($x := {} ~> |$properties.constructor|{"key": "PWNED"}|; 1)',
  '($x := $properties@$p.$p ~> |$|{"key": "PWNED"}|; 1)',
  '($x := {} ~> |$sum|$properties|; 1)',
  '($x := {} ~> |function(){ $properties }|{"environment": {}, "body": 1}|; 1)',
];
