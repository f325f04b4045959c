/** The advice for keywords of the DSL that this service refuses. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['use', 'write what it defines at its place; a secret belongs in an auth credential'],
  ['schedule', 'a schedule is a resource of its own: POST /flows/{flowId}/schedules'],
  ['redirect', 'up to 3 redirects are followed'],
  ['emit', 'a flow sends by calls: call: http, call: apiDescription'],
  ['shell', 'no program runs here: call a service by call: http or call: apiDescription'],
  ['script', 'compute by expressions in "set", or call a service'],
  ['container', 'no program runs here: call a service by call: http or call: apiDescription'],
  ['any', 'a flow waits for one signal: to: { one: { with: { type: <its name> } } }'],
  ['all', 'a flow waits for one signal: to: { one: { with: { type: <its name> } } }'],
  ['until', 'a flow waits for one signal: to: { one: { with: { type: <its name> } } }'],
  ['foreach', 'the task gives a list of one body; write a "for" behind it'],
  ['resource', 'nothing is fetched: write the schema in "document"'],
  ['grpc', 'write call: http or call: apiDescription'],
  ['asyncapi', 'write call: http or call: apiDescription'],
  ['openapi', 'store the operation as an API description and write call: apiDescription'],
]);

/** Returns the advice for a refused keyword; empty without advice. */
export function insteadOfRefused(keyword: string): string {
  const instead = INSTEAD.get(keyword);
  return instead === undefined ? '' : `; ${instead}`;
}
