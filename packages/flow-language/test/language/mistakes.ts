// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own

/** A mistake of an author: the file, and each fault and warning with place and message. */
export type Mistake = readonly [what: string, text: string, notes: readonly string[]];

/** Mistakes that authors make who come from other tools. */
export const MISTAKES: readonly Mistake[] = [
  [
    'n8n: a template instead of an expression',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        total: '{{ $json.total }}'\n",
    [
      '6:17 LOOKS_LIKE_EXPRESSION Without ${ }, "{{ }}" is text here: an expression is ${ ... } in quotes.',
    ],
  ],
  [
    'n8n: a template without quotes',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        total: {{ $json.total }}\n',
    ['6:16 KEY_NOT_A_STRING "{{ }}" is no expression here: write \'${ $json.total }\'.'],
  ],
  [
    'n8n: $json',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        total: ${ $json.total }\n',
    [
      '6:19 UNKNOWN_VARIABLE $json is not known here: write $ for the input of the task, or $steps.<task> for the output of another task.',
    ],
  ],
  [
    'n8n: $node',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        total: ${ $node["Fetch"].json["total"] }\n',
    [
      '6:19 UNKNOWN_VARIABLE $node is not known here: write $steps.<task> for the output of another task.',
    ],
  ],
  [
    'n8n: an expression with an equals sign',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      if: '={{ $json.ok }}'\n      set: { a: 1 }\n",
    ['5:11 EXPRESSION_NEEDED "if" must be an expression, ${ ... }; write \'${ $json.ok }\'.'],
  ],
  [
    'n8n: the word url',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      call: http\n      with:\n        method: GET\n        url: https://a.test\n',
    [
      '8:9 UNKNOWN_KEY Unknown keyword "url" in "with"; here it is "endpoint"; allowed: method, endpoint, headers, query, body, output, idempotencyKey.',
    ],
  ],
  [
    'a header that the service sends itself',
    "do:\n  - task:\n      call: http\n      with:\n        method: POST\n        endpoint: https://a.test\n        headers: { Idempotency-Key: '7' }\n",
    [
      '7:20 INVALID_VALUE The service sends "Idempotency-Key" itself; to choose its value, write "idempotencyKey" beside "headers".',
    ],
  ],
  [
    'a key that no header may have',
    'do:\n  - task:\n      call: http\n      with:\n        method: POST\n        endpoint: https://a.test\n        idempotencyKey: order 7\n',
    [
      '7:25 INVALID_VALUE "idempotencyKey" must be text of 1 to 255 visible ASCII characters without spaces, or an expression; this is a string.',
    ],
  ],
  [
    'GitHub Actions: steps with a name',
    'do:\n  - name: fetch\n    call: http\n    with: { method: GET, endpoint: https://a.test }\n',
    [
      '3:5 INVALID_VALUE A task is a map with exactly one key, its name; this one has 3: write "- fetch:" and the rest below it, indented.',
    ],
  ],
  [
    'GitHub Actions: steps for do',
    'steps:\n  - fetch: { set: { a: 1 } }\n',
    [
      '1:1 UNKNOWN_KEY Unknown keyword "steps" in the flow; here it is "do"; allowed: do, document, evaluate, input, output, timeout, metadata.',
    ],
  ],
  [
    'GitHub Actions: double braces',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      if: ${{ steps.first.outputs.ok }}\n      set: { a: 1 }\n',
    ["5:13 EXPRESSION_INVALID This isn't JSONata: write ${ ... } with single braces."],
  ],
  [
    'GitHub Actions: outputs of a step',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        ok: ${ steps.first.outputs.ok }\n',
    [
      '6:16 EXPRESSION_DOUBTFUL "steps" is a member of the input here: write $steps.first for the output of the task.',
    ],
  ],
  [
    'GitHub Actions: uses',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      uses: actions/checkout@v4\n',
    [
      '5:7 UNKNOWN_KEY Unknown keyword "uses" in the task "task"; here it is "call"; a task has one of call, set, switch, for, fork, try, raise, wait, run, listen, do.',
    ],
  ],
  [
    'GitHub Actions: a secret',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        key: ${ $secrets.API_KEY }\n',
    [
      '6:17 UNKNOWN_VARIABLE $secrets is not known here: no secret is readable: use an auth credential, by call: apiDescription.',
    ],
  ],
  [
    'GitHub Actions: a timeout in minutes',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set: { a: 1 }\n      timeout-minutes: 5\n',
    [
      '6:7 UNKNOWN_KEY Unknown keyword "timeout-minutes" in the task "task"; here it is "timeout"; allowed: set, if, input, output, export, timeout, then, metadata.',
    ],
  ],
  [
    'jq: a path without $',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        id: ${ .order.id }\n',
    ['6:16 EXPRESSION_INVALID This isn\'t JSONata: write $.x for ".x": $ is the input.'],
  ],
  [
    'jq: a path without braces',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        id: .order.id\n',
    [
      '6:13 LOOKS_LIKE_EXPRESSION Without ${ }, this is text: an expression is ${ ... }, and $ is the input, such as ${ $.x }.',
    ],
  ],
  [
    'jq: a pipe',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        ids: '${ $.items[] | .id }'\n",
    [
      '6:28 EXPRESSION_INVALID This isn\'t JSONata: write $.x for ".x": $ is the input; write . or ~> for the pipe "|".',
    ],
  ],
  [
    'jq: map and select',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        ids: '${ .items | map(select(.ok)) }'\n",
    [
      '6:18 EXPRESSION_INVALID This isn\'t JSONata: write $.x for ".x": $ is the input; write list[condition] for "select"; write list.(...) for "map"; write . or ~> for the pipe "|".',
    ],
  ],
  [
    'jq: an alternative',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        id: ${ $.id // 0 }\n',
    [
      '6:13 EXPRESSION_UNTERMINATED This "${" is never closed by "}": "//" begins a regular expression; write ?? for a default, and /* ... */ for a comment.',
    ],
  ],
  [
    'jq: a function',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        n: ${ length(.items) }\n',
    [
      '6:15 EXPRESSION_INVALID This isn\'t JSONata: write $.x for ".x": $ is the input; names of functions begin with $, such as $count(...).',
    ],
  ],
  [
    'jq: if then else',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        n: ${ if $.ok then 1 else 2 end }\n',
    ['6:15 EXPRESSION_INVALID This isn\'t JSONata: write condition ? value : other for "if".'],
  ],
  [
    'JavaScript: equality and logic',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      if: ${ $.a === 1 && !$.b }\n      set: { a: 1 }\n',
    [
      '5:18 EXPRESSION_INVALID This isn\'t JSONata: write = for "=="; write and for "&&"; write $not(...) for "!".',
    ],
  ],
  [
    'JavaScript: an arrow function',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        ids: ${ $.items.map(x => x.id) }\n',
    ['6:31 EXPRESSION_INVALID This isn\'t JSONata: write function($x) { ... } for "=>".'],
  ],
  [
    'JavaScript: a method',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        name: ${ $.name.toUpperCase() }\n',
    [
      '6:25 EXPRESSION_DOUBTFUL This expression can\'t work: "toUpperCase(...)" is no function: write $uppercase(string).',
    ],
  ],
  [
    'JavaScript: a template',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        name: '${ `Dear ${$.name}` }'\n",
    [
      '6:19 EXPRESSION_DOUBTFUL This expression can\'t work: backticks quote a name here: join strings by &, such as "a " & $.x.',
    ],
  ],
  [
    'JavaScript: optional chaining',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        name: ${ $.user?.name }\n',
    [
      '6:24 EXPRESSION_INVALID This isn\'t JSONata: write . for "?.": a path through what is missing is undefined.',
    ],
  ],
  [
    'JavaScript: a sum of strings',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        name: ${ $.first + ", " + $.last }\n',
    [
      "6:26 EXPRESSION_DOUBTFUL This expression can't work: write & to join strings: + adds numbers.",
    ],
  ],
  [
    'JavaScript: a member in brackets',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        name: ${ $.user["first-name"] }\n',
    [
      '6:24 EXPRESSION_DOUBTFUL This expression can\'t work: ["first-name"] chooses no member: write .`first-name`.',
    ],
  ],
  [
    'JavaScript: the length of a list',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      if: ${ $.items.length > 0 }\n      set: { a: 1 }\n',
    [
      '5:22 EXPRESSION_DOUBTFUL This expression can\'t work: ".length" is a member here: write $count(...) for a list, $length(...) for a string.',
    ],
  ],
  [
    'JavaScript: undefined',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      if: ${ $.a != undefined }\n      set: { a: 1 }\n',
    [
      '5:21 EXPRESSION_DOUBTFUL This expression can\'t work: "undefined" is a member of the input here: write $exists(...).',
    ],
  ],
  [
    'JavaScript: a loop that is left by break',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set: { a: 1 }\n      then: break\n',
    [
      '6:13 UNKNOWN_TARGET "then" names "break", which isn\'t in the same list; did you mean "exit"? allowed: continue, exit, end, first, task.',
    ],
  ],
  [
    'JavaScript: throw',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      throw: { error: { type: https://a.test/e, status: 500 } }\n',
    [
      '5:7 UNKNOWN_KEY Unknown keyword "throw" in the task "task"; here it is "raise"; a task has one of call, set, switch, for, fork, try, raise, wait, run, listen, do.',
    ],
  ],
  [
    'the DSL: a condition of jq without braces',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      if: .ok == true\n      set: { a: 1 }\n',
    [
      '5:11 EXPRESSION_NEEDED "if" must be an expression, ${ ... }; this is text without one, and no JSONata: write = for "=="; write $.x for ".x": $ is the input.',
    ],
  ],
  [
    'the DSL: a call of OpenAPI',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      call: openapi\n      with: {}\n',
    [
      '5:13 REFUSED "call: openapi" is not offered by this service; store the operation as an API description and write call: apiDescription.',
    ],
  ],
  [
    'the DSL: a shell',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      run: { shell: { command: ls } }\n',
    [
      '5:14 REFUSED "shell" in "run" is not offered by this service; no program runs here: call a service by call: http or call: apiDescription.',
    ],
  ],
  [
    'the DSL: shared definitions',
    'use: { secrets: [key] }\ndo: []\n',
    [
      '1:1 REFUSED "use" in the flow is not offered by this service; write what it defines at its place; a secret belongs in an auth credential.',
    ],
  ],
  [
    'the DSL: emit',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      emit: { event: { with: { type: a } } }\n',
    [
      '5:7 REFUSED "emit" in the task "task" is not offered by this service; a flow sends by calls: call: http, call: apiDescription.',
    ],
  ],
  [
    'the DSL: another expression language',
    'evaluate: { language: jq }\ndo: []\n',
    ['1:23 INVALID_VALUE "evaluate.language" must be one of jsonata; this is "jq".'],
  ],
  [
    'YAML: a ternary without quotes',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        a: ${ $.ok ? $.a : $.b }\n',
    [
      '6:12 YAML_SYNTAX Put the expression in quotes, because YAML takes ": " for the end of a key: \'${ $.ok ? $.a : $.b }\'.',
    ],
  ],
  [
    'YAML: an expression in braces without quotes',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set: { a: ${ $.a }, b: 1 }\n',
    ["5:17 YAML_SYNTAX Put the expression in quotes, because braces mean a map here: '${ $.a }'."],
  ],
  [
    'YAML: text with a colon',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        title: Error: it broke\n',
    [
      '6:16 YAML_SYNTAX Put the text in quotes, because YAML takes ": " for the end of a key: \'Error: it broke\', or begin a map on a line of its own.',
    ],
  ],
  [
    'YAML: text with an at sign',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        to: @support\n',
    ['6:13 YAML_SYNTAX Text that begins with "@" needs quotes: \'@support\'.'],
  ],
  [
    'YAML: a glob',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        files: *.csv\n',
    [
      '6:16 UNKNOWN_ALIAS No anchor "&.csv" stands before this alias; for the text itself, put it in quotes: \'*.csv\'.',
    ],
  ],
  [
    'YAML: a regular expression',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        pattern: [a-z]+\n',
    ['6:18 YAML_SYNTAX Text that begins with "[" needs quotes: \'[a-z]+\'.'],
  ],
  [
    'YAML: an exclamation mark',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        flag: !$input.ok\n',
    [
      '6:15 CUSTOM_TAG The tag "!$input.ok" isn\'t allowed, only YAML\'s core types are; for the opposite write $not(...) inside ${ }.',
    ],
  ],
  [
    'YAML: a comment in an expression',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        a: ${ $.items[0] #first }\n',
    [
      '6:12 EXPRESSION_UNTERMINATED YAML takes what follows " #" for a comment: put the value in quotes, \'${ $.items[0] #first }\'.',
    ],
  ],
  [
    'YAML: quotes inside the same quotes',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      if: "${ $.a = "b" }"\n      set: { a: 1 }\n',
    ['5:11 YAML_SYNTAX The quotes end before the value does: write \'${ $.a = "b" }\'.'],
  ],
  [
    'YAML: a quote that is never closed',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        a: "x\n        b: 1\n',
    ["6:12 YAML_SYNTAX This quote is never closed: write 'x'."],
  ],
  [
    'YAML: a brace that is never closed',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set: { a: { b: 1 }\n      then: end\n',
    ['5:12 YAML_SYNTAX This "{" is never closed: a "}" is missing.'],
  ],
  [
    'YAML: no space behind a colon',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      call: http\n      with:\n        method:GET\n        endpoint: https://a.test\n',
    ['7:9 YAML_SYNTAX A key ends with a colon and a space: write method: GET.'],
  ],
  [
    'YAML: a tab',
    'do:\n\t- a: { set: { a: 1 } }\n',
    ['2:1 YAML_SYNTAX YAML is indented with spaces; there is a tab here.'],
  ],
  [
    'YAML: a line indented too little',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n       set:\n          a: 1\n      then: end\n',
    ['7:7 YAML_SYNTAX This line is indented differently from the other lines of its map or list.'],
  ],
  [
    'YAML: a Windows path in double quotes',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        path: "C:\\dir"\n',
    ['6:18 YAML_SYNTAX \\d is no escape: in double quotes write \\\\d, or use single quotes.'],
  ],
  [
    'a misspelt keyword',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set: { a: 1 }\n      ouput: { as: '${ $ }' }\n",
    [
      '6:7 UNKNOWN_KEY Unknown keyword "ouput" in the task "task"; did you mean "output"? allowed: set, if, input, output, export, timeout, then, metadata.',
    ],
  ],
  [
    'a misspelt kind of task',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      swich:\n        - ok: { then: end }\n',
    [
      '5:7 UNKNOWN_KEY Unknown keyword "swich" in the task "task"; did you mean "switch"? allowed: switch, if, input, output, export, timeout, then, metadata.',
    ],
  ],
  [
    'a misspelt call',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      call: htpp\n      with: { method: GET, endpoint: https://a.test }\n',
    [
      '5:13 INVALID_VALUE No call has the name "htpp"; did you mean "http"? allowed: http, apiDescription, issue, agent.',
    ],
  ],
  [
    'a misspelt function',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        n: ${ $conut($.items) }\n',
    [
      "6:15 UNKNOWN_VARIABLE $conut is not known here; did you mean $count? known are $, $$, $input, $context, $steps, $error, $run, $properties, JSONata's functions and what the expression binds itself.",
    ],
  ],
  [
    'a misspelt variable',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        n: ${ $inptu.items }\n',
    [
      "6:15 UNKNOWN_VARIABLE $inptu is not known here; did you mean $input? known are $, $$, $input, $context, $steps, $error, $run, $properties, JSONata's functions and what the expression binds itself.",
    ],
  ],
  [
    'a misspelt step',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        n: ${ $steps.frist.ok }\n',
    [
      '6:22 UNKNOWN_STEP $steps has no "frist": did you mean "first"? no task of this file has that name.',
    ],
  ],
  [
    'a misspelt target',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set: { a: 1 }\n      then: frist\n',
    [
      '6:13 UNKNOWN_TARGET "then" names "frist", which isn\'t in the same list; did you mean "first"? allowed: continue, exit, end, first, task.',
    ],
  ],
  [
    'a variable without braces',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        id: $input.id\n',
    ['6:13 LOOKS_LIKE_EXPRESSION Without ${ }, this is text: for its value write ${ $input.id }.'],
  ],
  [
    'a step in the middle of a text',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        text: Order $steps.first.id is ready\n',
    ['6:21 LOOKS_LIKE_EXPRESSION Without ${ }, this is text: an expression in it is ${ ... }.'],
  ],
  [
    'a key that is an expression',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        '${ $.name }': 1\n",
    [
      '6:9 LOOKS_LIKE_EXPRESSION A key is never an expression: for a computed key write the whole map as one, such as ${ { $.name: 1 } }.',
    ],
  ],
  [
    'an expression inside a URL',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      call: http\n      with:\n        method: GET\n        endpoint: 'https://a.test/${ $.id }'\n",
    [
      '8:19 ENDPOINT_INVALID "endpoint" can\'t be "https://a.test/${ $.id }": it must be one expression as a whole, such as ${ "https://a.test/" & $.id }, or a URL whose {name} takes a field of the input.',
    ],
  ],
  [
    'a template inside a URL',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      call: http\n      with:\n        method: GET\n        endpoint: https://a.test/{{id}}\n',
    [
      '8:19 ENDPOINT_INVALID "endpoint" can\'t be "https://a.test/{{id}}": write {name} with single braces for a field of the input.',
    ],
  ],
  [
    'a method that is computed',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      call: http\n      with:\n        method: ${ $.method }\n        endpoint: https://a.test\n',
    [
      '7:17 EXPRESSION_NOT_ALLOWED "method" is fixed: no expression may stand here; write one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS.',
    ],
  ],
  [
    'a duration in words',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      wait: 5 minutes\n',
    [
      '5:13 DURATION_INVALID "wait" must be weeks, days, hours, minutes and seconds such as "P1DT2H", "PT5S" or "PT0.5S"; write "PT5M"; this is "5 minutes".',
    ],
  ],
  [
    'a timeout that is a number',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set: { a: 1 }\n      timeout: 30\n',
    ['6:16 WRONG_TYPE "timeout" must be a map such as { after: { seconds: 30 } }, not a number.'],
  ],
  [
    'a parenthesis that is never closed',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        n: ${ $count($.items }\n',
    ['6:30 EXPRESSION_INVALID This expression doesn\'t compile: ")" is missing at the end.'],
  ],
  [
    'n8n: the item of a node by its name',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        v: ${ $('Fetch').item.json.id }\n",
    [
      '6:15 EXPRESSION_DOUBTFUL This expression can\'t work: "$(...)" is no function: write $steps.Fetch for the output of a task.',
    ],
  ],
  [
    'JavaScript: the length of a value',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        v: ${ $.a.length }\n',
    [
      '6:19 EXPRESSION_DOUBTFUL This expression is probably meant otherwise: ".length" is a member here: write $count(...) for a list, $length(...) for a string.',
    ],
  ],
  [
    'JavaScript: keys without quotes',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        v: '${ {a: 1, b: 2} }'\n",
    [
      '6:17 EXPRESSION_DOUBTFUL This expression is probably meant otherwise: "a" is a member of the input here: for a key write {"a": ...}.',
    ],
  ],
  [
    'a word processor: quotes',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        v: ${ $.a = \u201cx\u201d }\n',
    [
      '6:21 EXPRESSION_DOUBTFUL This expression is probably meant otherwise: write straight quotes, " or \', around a string.',
    ],
  ],
  [
    'a word processor: quotes around words',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        v: ${ $.a = \u201cx y\u201d }\n',
    ["6:21 EXPRESSION_INVALID This isn't JSONata: write straight quotes, \" or '."],
  ],
  [
    'a space in the sign of an expression',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        v: '$ { $.a }'\n",
    ['6:13 LOOKS_LIKE_EXPRESSION Without ${ }, this is text: an expression is written ${ $.a }.'],
  ],
  [
    'an expression in parentheses',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        v: '$( $.a )'\n",
    ['6:13 LOOKS_LIKE_EXPRESSION Without ${ }, this is text: an expression is written ${ $.a }.'],
  ],
  [
    'an expression in braces alone',
    "do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        v: '{$.a}'\n",
    ['6:13 LOOKS_LIKE_EXPRESSION Without ${ }, this is text: an expression is written ${ $.a }.'],
  ],
  [
    'an id that loses digits',
    'do:\n  - first:\n      set: { ok: 1 }\n  - task:\n      set:\n        v: 9007199254740993\n',
    [
      '6:12 NUMBER_NOT_EXACT A number has 53 bits, so that this one would become 9007199254740992: put it in quotes to keep its digits.',
    ],
  ],
  [
    'an id that loses digits in an expression',
    'do:\n  - task:\n      set:\n        v: ${ [1e20, $.id = -9007199254740993] }\n',
    [
      '4:30 EXPRESSION_INVALID A number has 53 bits, so that this one would become -9007199254740992: put it in quotes to keep its digits.',
    ],
  ],
  [
    'an id that loses digits in a schema',
    'input: { schema: { format: json, document: { enum: [9007199254740993] } } }\ndo: []\n',
    [
      '1:53 NUMBER_NOT_EXACT A number has 53 bits, so that this one would become 9007199254740992: put it in quotes to keep its digits.',
    ],
  ],
  [
    'a misspelt keyword of a schema',
    'input:\n  schema: { document: { type: object, proprties: { a: { type: string } } } }\ndo: []\n',
    [
      '2:39 SCHEMA_DOUBTFUL "proprties" is no keyword of JSON Schema and checks nothing: did you mean "properties"?',
    ],
  ],
];
