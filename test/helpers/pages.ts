import type { IncomingHttpHeaders } from 'node:http';
import type { Person } from './people.ts';

/** Returns the path of the next page from the Link header; undefined on the last page. */
export const nextPage = (headers: IncomingHttpHeaders): string | undefined =>
  /<([^>]+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1];

/** Every page of a list, in order. */
export async function pagesOf<T>(person: Person, first: string): Promise<T[][]> {
  const pages: T[][] = [];
  let path: string | undefined = first;
  while (path) {
    const answer: { headers: IncomingHttpHeaders; body: T[] } = await person.call<T[]>('GET', path);
    pages.push(answer.body);
    if (pages.length > 100) throw new Error(`the pages of ${first} have no end`);
    path = nextPage(answer.headers);
  }
  return pages;
}
