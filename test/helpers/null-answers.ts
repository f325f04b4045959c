import type { Collection, Document } from 'mongodb';

/**
 * Preloaded into a process of the service: every query that names the fields it reads answers null for those that a
 * document lacks, as MongoDB does where an index covers the query. Which index MongoDB chooses is not the reader's to know.
 */
if (process.argv[1]?.endsWith('/server.ts')) answerNulls((await import('mongodb')).Collection);

function answerNulls({ prototype }: typeof Collection): void {
  const { find } = prototype;
  prototype.find = function (this: Collection, filter: Document = {}, options: Document = {}) {
    let { projection } = options;
    const cursor = find.call(this, filter, options);
    cursor.map((document) => withNulls(document, projection ?? {}));
    const { project } = cursor;
    cursor.project = (fields) => {
      projection = fields;
      return project.call(cursor, fields) as never;
    };
    return cursor;
  } as typeof find;
}

function withNulls(document: Document, projection: Document): Document {
  const paths = Object.keys(projection).filter((path) => path !== '_id');
  if (paths.every((path) => projection[path])) for (const path of paths) fill(document, path);
  return document;
}

/** Sets null at a path that a document lacks. Fields within arrays are left as they are: no index covers those. */
function fill(document: Document, path: string): void {
  const [name = '', ...rest] = path.split('.');
  document[name] ??= rest.length ? {} : null;
  if (rest.length && !Array.isArray(document[name])) fill(document[name], rest.join('.'));
}
