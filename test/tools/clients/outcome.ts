/** What each tour finds: the same values by each client. */
export interface Outcome {
  email: string;
  workspace: string;
  member: string;
  issue: string;
  status: string;
  output: unknown;
  steps: string[];
  events: string[];
  pages: string[][];
  upload: string;
  problem: string;
  stale: number;
  changed: string;
  repeated: boolean;
}

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Does not compile unless the value has exactly the expected type: `any` and a lost type do not pass. */
export const exactly =
  <Expected>() =>
  <T>(value: T, ..._proof: Equal<T, Expected> extends true ? [] : [never]): T =>
    value;

/** The value, which an answer of success has. */
export function given<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new Error(`${what} is missing`);
  return value;
}

/** The cursor of the next page in a `Link` header; undefined after the last page. */
export const nextOf = (link: string | null): string | undefined =>
  /[?&]after=([\w-]+)[^>]*>; rel="next"/.exec(link ?? '')?.[1];

/** The names of the events of a stream. */
export const eventNames = (text: string): string[] =>
  [...text.matchAll(/^event: (\w+)$/gm)].map(([, name = '']) => name);

export const base = given(process.env.BASE, 'BASE');
export const email = given(process.env.EMAIL, 'EMAIL');
export const memberEmail = `member.${email}`;
export const person = {
  email,
  password: 'seven green kettles',
  firstName: 'Ada',
  lastName: 'Lovelace',
};
export const FLOW = `do:
  - greet: { set: { text: "\${ 'Hello, ' & $input.name }" } }
`;
export const report = (outcome: Outcome): boolean => process.stdout.write(JSON.stringify(outcome));
