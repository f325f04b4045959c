// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own
import type { Mistake } from './mistakes.ts';

/** Keys, values and indentation in another form than the language's. */
export const MISTAKES_OF_FORM: readonly Mistake[] = [
  [
    'a word that is near the kind of another task',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      foo: 1\n',
    [
      '5:7 UNKNOWN_KEY Unknown keyword "foo" in the task "task"; did you mean "for"? a task has one of call, set, switch, for, fork, try, raise, wait, run, listen, do.',
    ],
  ],
  [
    'a misspelt kind of task without its members',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      ran: { x: 1 }\n',
    [
      '5:7 UNKNOWN_KEY Unknown keyword "ran" in the task "task"; did you mean "run"? a task has one of call, set, switch, for, fork, try, raise, wait, run, listen, do.',
    ],
  ],
  [
    'a misspelt kind of task with another value',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      wit: 5\n',
    [
      '5:7 UNKNOWN_KEY Unknown keyword "wit" in the task "task"; did you mean "wait"? a task has one of call, set, switch, for, fork, try, raise, wait, run, listen, do.',
    ],
  ],
  [
    'members of "set" that are not indented',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n      a: 1\n      b: 2\n',
    [
      '6:7 UNKNOWN_KEY "a", "b" belong under "set" in the task "task": indent them further than "set".',
    ],
  ],
  [
    'members of "for" that are not indented',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      for:\n      each: x\n      in: ${ $.x }\n      do: []\n',
    [
      '6:7 UNKNOWN_KEY "each", "in" belong under "for" in the task "task": indent them further than "for".',
    ],
  ],
  [
    'members of "with" beside "call"',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      call: http\n      method: GET\n      endpoint: https://a.test\n',
    [
      '6:7 UNKNOWN_KEY "method", "endpoint" belong under "with" in the task "task": write with: { method: ..., endpoint: ... }.',
    ],
  ],
  [
    'members of an error under "raise"',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      raise: { status: 400, title: x }\n',
    [
      '5:16 UNKNOWN_KEY "status", "title" belong under "error" in "raise": write error: { status: ..., title: ... }.',
    ],
  ],
  [
    'members of "for" beside it',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      for: item\n      in: ${ $.items }\n      do:\n        - x: { set: { a: 1 } }\n',
    [
      '6:7 UNKNOWN_KEY "in" belongs under "for" in the task "task": write for: { each: ..., in: ... }.',
    ],
  ],
  [
    'members of "for" without it',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      each: item\n      in: ${ $.items }\n      do: []\n',
    [
      '5:7 UNKNOWN_KEY "each", "in" belong under "for" in the task "task": write for: { each: ..., in: ... }.',
    ],
  ],
  [
    'members of "workflow" under "run"',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      run: { namespace: workspace, name: child, version: latest }\n',
    [
      '5:14 UNKNOWN_KEY "namespace", "name", "version" belong under "workflow" in "run": write workflow: { namespace: ..., name: ..., version: ... }.',
    ],
  ],
  [
    'members of "catch" beside "try"',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      try: []\n      retry: { delay: PT1S }\n',
    [
      '6:7 UNKNOWN_KEY "retry" belongs under "catch" in the task "task": write catch: { retry: ... }.',
    ],
  ],
  [
    'a filter of errors without "with"',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      try: []\n      catch: { errors: { status: 503 } }\n',
    [
      '6:26 UNKNOWN_KEY "status" belongs under "with" in "catch.errors": write with: { status: ... }.',
    ],
  ],
  [
    'a timeout without "after"',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set: { a: 1 }\n      timeout: { seconds: 5 }\n',
    [
      '6:18 UNKNOWN_KEY "seconds" belongs under "after" in "timeout": write after: { seconds: ... }.',
    ],
  ],
  [
    'a loop variable with a dollar sign',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      for: { each: $order, in: '${ $.x }' }\n      do:\n        - x: { set: { a: '${ $order.id }' } }\n",
    [
      '5:20 INVALID_NAME "each" must be a letter or "_", then letters, digits or "_", without "$"; write order; this is "$order".',
    ],
  ],
  [
    'a schema without "document"',
    'input:\n  schema: { type: object, required: [a] }\ndo: []\n',
    [
      '2:13 UNKNOWN_KEY "type", "required" belong under "document" in "input.schema": write document: { type: ..., required: ... }.',
    ],
  ],
  [
    'an indentation of no-break spaces',
    'do:\n  - a:\n\u00a0\u00a0\u00a0\u00a0\u00a0\u00a0set: { a: 1 }\n',
    ['3:1 YAML_SYNTAX YAML is indented with spaces; there is a no-break space (U+00A0) here.'],
  ],
  [
    'a no-break space behind a dash',
    'do:\n  -\u00a0a: { set: { a: 1 } }\n',
    ['2:4 YAML_SYNTAX YAML is indented with spaces; there is a no-break space (U+00A0) here.'],
  ],
  [
    'an indentation of wide spaces',
    'do:\n  - a:\n\u3000\u3000\u3000set: { a: 1 }\n',
    ['3:1 YAML_SYNTAX YAML is indented with spaces; there is an ideographic space (U+3000) here.'],
  ],
  [
    'a duration that is computed',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      wait: ${ $.delay }\n',
    [
      '5:13 DURATION_INVALID "wait" is fixed: no expression may stand here; write a duration such as "PT5S" or { seconds: 5 }.',
    ],
  ],
  [
    'a duration with decimals of minutes',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      wait: PT1.5M\n',
    [
      '5:13 DURATION_INVALID "wait" must be weeks, days, hours, minutes and seconds such as "P1DT2H", "PT5S" or "PT0.5S"; only seconds may have decimals, at most three: write "PT90S"; this is "PT1.5M".',
    ],
  ],
  [
    'a duration with one unit twice',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      wait: PT1M1M\n',
    [
      '5:13 DURATION_INVALID "wait" must be weeks, days, hours, minutes and seconds such as "P1DT2H", "PT5S" or "PT0.5S"; each unit stands once, in the order W, D, T, H, M, S; this is "PT1M1M".',
    ],
  ],
  [
    'a duration without a unit',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      wait: PT5\n',
    [
      '5:13 DURATION_INVALID "wait" must be weeks, days, hours, minutes and seconds such as "P1DT2H", "PT5S" or "PT0.5S"; the unit is missing: write "PT5S"; this is "PT5".',
    ],
  ],
  [
    'no space behind the only colon of a map',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        x:1\n',
    [
      '6:9 WRONG_TYPE "set" must be a map such as { name: value }, not a string: a key ends with a colon and a space, x: 1.',
    ],
  ],
  [
    'no space behind the colon of a task',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      wait:PT5S\n',
    [
      '5:7 WRONG_TYPE The task "task" must be a map, not a string: a key ends with a colon and a space, wait: PT5S.',
    ],
  ],
  [
    'a task that is not indented below its name',
    'do:\n  - a:\n    set: { x: 1 }\n',
    [
      '3:5 INVALID_VALUE A task is a map with exactly one key, its name; this one has 2: indent "set" further than "a".',
    ],
  ],
  [
    'two tasks in one item',
    'do:\n  - a: { set: { x: 1 } }\n    b: { set: { x: 1 } }\n',
    [
      '3:5 INVALID_VALUE A task is a map with exactly one key, its name; this one has 2: write "- b:" for an item of its own.',
    ],
  ],
  [
    'tasks as a map',
    'do:\n  a: { set: { x: 1 } }\n  b: { set: { x: 1 } }\n',
    ['2:3 WRONG_TYPE "do" must be a list, not a map: write "- a:" for each of its items.'],
  ],
  [
    'a number of retries under "retry"',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      try: []\n      catch: { retry: { count: 3 } }\n',
    [
      '6:25 UNKNOWN_KEY Unknown keyword "count" in "retry"; write limit: { attempt: { count: 3 } }; allowed: when, exceptWhen, delay, backoff, jitter, limit.',
    ],
  ],
  [
    'a number of retries by another word',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      try: []\n      catch: { retry: { maxAttempts: 4 } }\n',
    [
      '6:25 UNKNOWN_KEY Unknown keyword "maxAttempts" in "retry"; write limit: { attempt: { count: 4 } }; allowed: when, exceptWhen, delay, backoff, jitter, limit.',
    ],
  ],
  [
    'a backoff by its name',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      try: []\n      catch: { retry: { backoff: exponential } }\n',
    ['6:34 WRONG_TYPE "retry.backoff" must be a map such as { exponential: {} }, not a string.'],
  ],
  [
    'a retry of a task',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set: { a: 1 }\n      retry: { delay: PT1S }\n',
    [
      '6:7 UNKNOWN_KEY Unknown keyword "retry" in the task "task"; put the task into "try: [...]" with "catch: { retry: ... }" beside it; allowed: set, if, input, output, export, timeout, then, metadata.',
    ],
  ],
  [
    'a loop by another word',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      foreach: ${ $.items }\n      do: []\n',
    [
      '5:7 UNKNOWN_KEY Unknown keyword "foreach" in the task "task"; a loop is "for: { each: item, in: \'${ ... }\' }" with "do" beside it; allowed: do, if, input, output, export, timeout, then, metadata.',
    ],
  ],
  [
    'a signal by its name',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      listen: approved\n',
    [
      '5:15 WRONG_TYPE "listen" must be a map such as { to: { one: { with: { type: approved } } } }, not a string.',
    ],
  ],
  [
    'a signal without "to"',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      listen: { one: { with: { type: approved } } }\n',
    ['5:17 UNKNOWN_KEY "one" belongs under "to" in "listen": write to: { one: ... }.'],
  ],
  [
    'a flow by its name',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      run: { workflow: child }\n',
    [
      '5:24 WRONG_TYPE "run.workflow" must be a map such as { namespace: workspace, name: child, version: latest }, not a string.',
    ],
  ],
  [
    'an error by its name',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      raise: oops\n',
    [
      '5:14 WRONG_TYPE "raise" must be a map such as { error: { type: https://example.com/errors/no-stock, status: 500, title: No stock } }, not a string.',
    ],
  ],
  [
    'JavaScript: a spread',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        a: \'${ {...$.a, "b": 1} }\'\n',
    ['6:17 EXPRESSION_INVALID This isn\'t JSONata: write $merge([$.a, {"b": 1}]) for "...".'],
  ],
  [
    'YAML: a path with a bracket in braces',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set: { x: $.store.book[0].title }\n',
    [
      "5:17 YAML_SYNTAX Put the expression in quotes and in ${ }, because brackets mean a list here: '${ $.store.book[0].title }'.",
    ],
  ],
  [
    'the DSL: events of several kinds',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      listen: { any: [] }\n',
    [
      '5:17 REFUSED "any" in "listen" is not offered by this service; a flow waits for one signal: to: { one: { with: { type: <its name> } } }.',
    ],
  ],
  [
    'the DSL: a loop over signals',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      listen: { to: { one: { with: { type: a } } }, foreach: {} }\n',
    [
      '5:53 REFUSED "foreach" in "listen" is not offered by this service; the task gives a list of one body; write a "for" behind it.',
    ],
  ],
  [
    'headers that are one expression',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      call: http\n      with: { method: GET, endpoint: https://a.test, headers: '${ $.h }' }\n",
    ['6:63 WRONG_TYPE "headers" must be a map such as { name: \'${ ... }\' }, not a string.'],
  ],
  [
    'an error by its name under "error"',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      raise: { error: oops }\n',
    [
      '5:23 WRONG_TYPE "raise.error" must be a map such as { type: https://example.com/errors/no-stock, status: 500, title: No stock }, not a string.',
    ],
  ],
  [
    'a case of a switch that is not indented',
    'do:\n  - first:\n      switch:\n        - ok:\n          then: end\n',
    [
      '5:11 INVALID_VALUE A case of a switch is a map with exactly one key, its name; this one has 2: indent "then" further than "ok".',
    ],
  ],
  [
    'cases of a switch as a map',
    'do:\n  - first:\n      switch:\n        ok: { then: end }\n',
    ['4:9 WRONG_TYPE "switch" must be a list, not a map: write "- ok:" for each of its items.'],
  ],
];
