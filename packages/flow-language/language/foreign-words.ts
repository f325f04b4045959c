/** The words of other tools (GitHub Actions, n8n, JavaScript) for the keywords of this language. */
const WORDS: Readonly<Record<string, string>> = {
  do: 'steps tasks jobs actions states nodes stages sequence',
  call: 'uses http httpRequest request fetch invoke rest curl action function',
  set: 'assign variables vars env transform setVariable print log',
  switch: 'choice choices choose case cases match router',
  for: 'foreach forEach loop each map iterate splitInBatches matrix',
  fork: 'parallel concurrent',
  raise: 'throw error fail',
  wait: 'sleep delay pause',
  run: 'subflow subFlow executeWorkflow',
  listen: 'waitFor event signal receive',
  catch: 'onError on_error except rescue',
  with: 'arguments args parameters params inputs',
  // biome-ignore lint/suspicious/noThenProperty: the DSL's keyword; the table is never awaited
  then: 'next goto transition nextState',
  if: 'condition when cond',
  when: 'if condition case cond',
  timeout: 'timeoutSeconds timeoutMs timeout-minutes deadline',
  output: 'outputs result responseType',
  input: 'inputs',
  metadata: 'labels tags annotations',
  method: 'verb httpMethod',
  endpoint: 'url uri href address baseUrl',
  query: 'params queryParams queryParameters queryString qs parameters search',
  headers: 'httpHeaders',
  body: 'data json payload form formData content',
  in: 'items list over of collection',
  each: 'as item var variable',
  at: 'index',
  apiDescriptionId: 'id apiDescription description',
  credential: 'auth credentials authentication credentialId',
  path: 'pathParams pathParameters',
  after: 'duration',
  count: 'max maxAttempts attempts retries',
  as: 'expression value',
  from: 'expression value',
};

/** Finds the allowed keyword that means the same as a word of another tool. */
export function keywordFor(foreign: string, allowed: readonly string[]): string | undefined {
  return allowed.find((keyword) => WORDS[keyword]?.split(' ').includes(foreign));
}
