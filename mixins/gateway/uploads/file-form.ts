import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import busboy, { type Busboy } from 'busboy';
import { BodyTooLarge, invalidRequest, MalformedBody, Problem } from '../../../contract/problem.ts';
import type { UploadRule } from '../../../contract/upload.ts';
import { bodyFault } from '../body/body-fault.ts';

/** Bytes of a body beside those of its file: the boundaries, and the headers of the part. */
export const FORM_OVERHEAD_BYTES = 32 * 1024;
/** Parts after which the body is not read further. A second part is refused in any case. */
const MAX_PARTS = 2;
/** Bytes that are kept of a part without a file. Such a part is refused by its name. */
const FIELD_BYTES = 1;

/** The file of a form, as far as its headers tell. */
export interface FormFile {
  /** The name that the client gives, which may be a path. */
  name: string;
  /** The media type that the client declares. */
  type: string;
  /** The bytes. The stream ends once the whole body has come and is right, and otherwise fails with the fault. */
  stream: Readable;
}

/** The progress of the reading. */
export interface FormObserver {
  /** Bytes of the body have arrived. */
  onBytes(bytes: number): void;
  /** The client has to wait until more of the file is read. */
  onWait(): void;
  /** The client may go on. */
  onResume(): void;
}

/**
 * Reads the one file of a multipart body while it arrives. The client is paused while nobody reads the file, so that
 * little of the file is in memory.
 */
export class FileForm {
  readonly #http: IncomingMessage;
  readonly #rule: UploadRule;
  readonly #observer: FormObserver;
  readonly #parser: Busboy;
  readonly #file = Promise.withResolvers<FormFile>();
  readonly #whole = Promise.withResolvers<void>();
  #hasFile = false;
  #bytes = 0;
  #fault: Problem | undefined;
  #hasEnded = false;

  /** Throws 400 for a `Content-Type` without a boundary. */
  constructor(http: IncomingMessage, rule: UploadRule, observer: FormObserver) {
    this.#http = http;
    this.#rule = rule;
    this.#observer = observer;
    this.#parser = parserOf(http, rule);
    for (const { promise } of [this.#file, this.#whole]) promise.catch(() => undefined);
    this.#watchParts();
    this.#watchEnd();
    http.on('data', this.#take).on('end', this.#finish);
    http.on('close', this.#cut).on('error', this.#cut);
    if (http.closed) this.#cut(); // the client has gone before
  }

  /** Resolves once the headers of the file have come. Rejects with the fault of the body. */
  get file(): Promise<FormFile> {
    return this.#file.promise;
  }

  /** The fault of the body, once one is found. */
  get fault(): Problem | undefined {
    return this.#fault;
  }

  /** Refuses the body: its reading ends, and the stream of its file fails with the problem. */
  refuse(problem: Problem): void {
    if (this.#hasEnded) return;
    this.#fault = problem;
    this.end();
  }

  /** Ends the reading. What still comes of the body is dropped. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#http.off('data', this.#take).off('end', this.#finish).off('close', this.#cut);
    this.#http.resume();
    this.#file.reject(this.#fault ?? cut());
    this.#whole.reject(this.#fault ?? cut());
    // Its own events end it, too, and it does not expect to be destroyed within one.
    process.nextTick(() => this.#parser.destroy());
  }

  readonly #take = (chunk: Buffer): void => {
    this.#bytes += chunk.length;
    this.#observer.onBytes(chunk.length);
    if (this.#bytes > this.#rule.maxBytes + FORM_OVERHEAD_BYTES) this.refuse(tooLarge(this.#rule));
    else if (!this.#parser.write(chunk)) {
      this.#http.pause();
      this.#observer.onWait();
    }
  };

  readonly #finish = (): void => {
    this.#parser.end();
  };

  readonly #cut = (): void => {
    if (!this.#http.complete) this.refuse(cut());
  };

  #watchParts(): void {
    const { field } = this.#rule;
    // The parser's types do not say that a part may have no name.
    this.#parser.on('file', (name: string | undefined, contents, { filename, mimeType: type }) => {
      contents.on('error', () => undefined); // the stream of the file has the fault
      contents.on('limit', () => this.refuse(tooLarge(this.#rule)));
      this.#hasFile = true;
      if (name !== field) this.#refuseOther(name);
      else if (!filename) this.#refusePart(field, 'invalid_value', 'must be a file with a name');
      else this.#file.resolve({ name: filename, type, stream: this.#streamOf(contents) });
    });
    this.#parser.on('field', (name: string | undefined) => {
      if (name === field) this.#refusePart(field, 'invalid_type', 'must be a file with a name');
      else this.#refuseOther(name);
    });
    this.#parser.on('filesLimit', () =>
      this.#refusePart(field, 'given_twice', 'is given more than once'),
    );
    this.#parser.on('partsLimit', () =>
      this.refuse(malformed(`The body may have one part, the file "${field}".`)),
    );
  }

  #watchEnd(): void {
    this.#parser.on('drain', () => {
      this.#http.resume();
      this.#observer.onResume();
    });
    this.#parser.on('error', () =>
      this.refuse(malformed('The body is not valid multipart/form-data.')),
    );
    this.#parser.on('close', () => {
      if (!this.#hasFile) this.#refusePart(this.#rule.field, 'required', 'is required');
      this.#whole.resolve();
    });
  }

  #refuseOther(name: string | undefined): void {
    if (name === undefined) this.refuse(malformed('A part of the body has no name.'));
    else this.#refusePart(name, 'unknown_field', 'is not a field of this request');
  }

  #refusePart(name: string, code: string, message: string): void {
    this.refuse(invalidRequest([bodyFault(name, code, message)]));
  }

  #streamOf(contents: Readable): Readable {
    const whole = this.#whole.promise;
    const bytes = async function* () {
      try {
        yield* contents;
      } catch {
        // the fault of the body follows
      }
      await whole;
    };
    const stream = Readable.from(bytes(), { objectMode: false });
    stream.on('error', () => undefined); // an action that does not read the file needs no error
    return stream;
  }
}

/** Makes the parser of a body. The file of a client that sends `maxBytes` and no more does not meet its limit. */
function parserOf({ headers }: IncomingMessage, { maxBytes }: UploadRule): Busboy {
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      preservePath: true, // the action makes a name of it
      limits: { files: 1, parts: MAX_PARTS, fieldSize: FIELD_BYTES, fileSize: maxBytes + 1 },
    });
  } catch {
    throw malformed('The Content-Type does not name the boundary of the parts.');
  }
}

const malformed = (detail: string): Problem => new Problem(MalformedBody, detail);
const cut = (): Problem => malformed('The body could not be read to its end.');

/** The problem of a file that is too large. */
export const tooLarge = ({ field, maxBytes }: UploadRule): Problem =>
  new Problem(BodyTooLarge, `The file "${field}" may have at most ${maxBytes} bytes.`);
