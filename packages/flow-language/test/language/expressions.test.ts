import { readFileSync } from 'node:fs';
import { BUILT_INS } from '../../language/names.ts';
import { faultsOf, variablesOf, withExpression } from './support.ts';

describe('the variables of an expression', () => {
  it.each([
    ['$.a + $$.b', []],
    ['$input.a & $run.id', ['input', 'run']],
    ['$sum($input.items.(price * $context.rate))', ['context', 'input']],
    ['($x := $input; $x.a)', ['input']],
    ['($input := 1; $input)', []],
    ['($y := $input := 1; $y + $input)', []],
    ['($input := $input + 1; $input)', ['input']],
    ['($ ? ($input := 1); $input)', ['input']],
    ['$.flag ? ($input := 1) : $input', ['input']],
    ['($f := function($input) { $input.a }; $f($))', []],
    ['($f := function($a) { $a + $steps.only }; $f(1))', ['steps']],
    ['items@$i.parts@$p[$p.id = $i.id].{ "i": $i, "run": $run }', ['run']],
    ['items#$n[$n < 3].{ "at": $n, "e": $error }', ['error']],
    ['items{ $properties.key: $sum(price) }', ['properties']],
    ['items^(>$context.by, name)', ['context']],
    ['items[price > $input.limit]', ['input']],
    ['$ ~> |$|{ "a": $input }, ["b"]|', ['input']],
    ['$map([1], $input.f ? $string : $uppercase)', ['input']],
    ['$input ?? $context', ['context', 'input']],
    ['/* $nope */ "$nope" & `$nope`', []],
  ])('%s reads %j', (expression, variables) => {
    expect(variablesOf(expression)).toEqual(variables);
  });

  it.each([
    ['($x := 1; $y)'],
    ['function($a) { $b }'],
    ['($f := function() { $inner := 1 }; $inner)'],
    ['items@$i.a + $i'],
    ['($a := 1) + ($b := $c)'],
  ])('%s reads one that nothing binds', (expression) => {
    expect(faultsOf(withExpression(expression))).toEqual([
      expect.stringContaining('UNKNOWN_VARIABLE'),
    ]);
  });

  it.each([
    ['($even := function($n) { $n = 0 or $odd($n - 1) }; $odd := function($n) { 1 }; $even(2))'],
    ['($x := 1; $y := $x; [$x, $y])'],
    ['($x := 1; $.a.b[$x])'],
  ])('%s binds all its own', (expression) => {
    expect(faultsOf(withExpression(expression))).toEqual([]);
  });
});

describe('the built-in names', () => {
  const source = readFileSync(require.resolve('jsonata'), 'utf8');
  const bound = [...source.matchAll(/staticFrame\.bind\('(\w+)'/g)].map(([, name = '']) => name);

  it('are those of the library, without $eval, and $integer', () => {
    const expected = new Set([...bound, 'now', 'millis', 'integer']);
    expected.delete('eval');
    expect(new Set(BUILT_INS)).toEqual(expected);
  });
});
