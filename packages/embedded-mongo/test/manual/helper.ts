import type { Document, Literal } from '../../bson/values.ts';
import { type TestEngine, testEngine } from '../engine.ts';

export type Fields = { [name: string]: Literal };

/** The documents of the collection `c`. */
export const DOCUMENTS: Fields[] = [
  { _id: 1, n: 5, a: [1, 2, 3], s: 'Text', o: { x: 1 }, l: [{ x: 1 }, { x: 2 }] },
  { _id: 2, n: 8, a: [2], s: 'other' },
  { _id: 3, s: 'a\nb' },
];

/** An engine whose collection `c` has the same documents before each test. */
interface ManualEngine {
  test: TestEngine;
  /** Expects that a command is refused by a code, with a message that has the name. Code 0: the command works. */
  expectRefusal(name: string, code: number, command: Fields): Promise<void>;
  /** Returns the first batch of a command. */
  found(command: Fields): Promise<Document[]>;
}

export function manualEngine(): ManualEngine {
  const test = testEngine();
  afterAll(() => test.close());
  beforeEach(async () => {
    await test.send({ dropDatabase: 1 });
    await test.send({ insert: 'c', documents: DOCUMENTS });
  });
  return {
    test,
    async expectRefusal(name, code, command) {
      const error = errorIn(await test.send(command));
      expect(error).toEqual({ code, message: expect.stringContaining(name) });
    },
    async found(command) {
      const reply = await test.send(command);
      if (reply.get('errmsg')) throw new Error(String(reply.get('errmsg')));
      return (reply.get('cursor') as Document).get('firstBatch') as Document[];
    },
  };
}

/** The error of a command, of its first statement or of its write concern. */
function errorIn(reply: Document): { code: Literal; message: string } {
  const [statement] = (reply.get('writeErrors') ?? []) as Document[];
  const error = statement ?? (reply.get('writeConcernError') as Document | undefined) ?? reply;
  return { code: error.get('code') ?? 0, message: String(error.get('errmsg') ?? '') };
}

export const piped = (...pipeline: Fields[]): Fields => ({ aggregate: 'c', pipeline, cursor: {} });

export const idsOf = (documents: Document[]) => documents.map((document) => document.get('_id'));

export const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();
