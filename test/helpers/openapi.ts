import { Validator } from '@cfworker/json-schema';
import type { RequestOptions } from './http.ts';
import { request } from './http.ts';

export type JsonSchema = Record<string, unknown>;

interface Content {
  schema: JsonSchema;
  example?: unknown;
}
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}
export interface Response {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Content>;
}

/** An operation of the document, with its references resolved. */
export interface DescribedOperation {
  id: string;
  method: string;
  path: string;
  description: string;
  parameters: readonly Parameter[];
  body: { required: boolean; content: Record<string, Content> } | null;
  responses: Readonly<Record<string, Response>>;
  security: readonly Record<string, unknown>[];
}

interface Source {
  operationId: string;
  description?: string;
  parameters?: object[];
  requestBody?: { required: boolean; content: Record<string, Content> };
  responses: Record<string, object>;
  security: Record<string, unknown>[];
}

/** The OpenAPI document of a service, for tests that read operations and check answers by it. */
export class OpenApi {
  readonly document: JsonSchema;
  readonly operations: readonly DescribedOperation[];
  readonly #validators = new Map<JsonSchema, Validator>();

  constructor(document: JsonSchema) {
    this.document = document;
    const paths = document.paths as Record<string, Record<string, Source>>;
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, source]) => this.#describe(path, method, source)),
    );
  }

  /** Reads the document from a running service. */
  static async of(base: string): Promise<OpenApi> {
    return new OpenApi((await request<JsonSchema>(base, 'GET', '/openapi.json')).body);
  }

  get(id: string): DescribedOperation {
    const found = this.operations.find((operation) => operation.id === id);
    if (!found) throw new Error(`the document has no ${id}`);
    return found;
  }

  #describe(path: string, method: string, source: Source): DescribedOperation {
    return {
      id: source.operationId,
      method: method.toUpperCase(),
      path,
      description: source.description ?? '',
      parameters: (source.parameters ?? []).map((one) => this.resolve<Parameter>(one)),
      body: source.requestBody ?? null,
      responses: Object.fromEntries(
        Object.entries(source.responses).map(([status, one]) => [
          status,
          { ...this.resolve<Response>(one), ...one },
        ]),
      ),
      security: source.security,
    };
  }

  /** The object that a reference names; another object as it is. */
  resolve<T>(value: object): T {
    const { $ref } = value as { $ref?: string };
    if ($ref === undefined) return value as T;
    const found = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => (at as JsonSchema)[key], this.document);
    return this.resolve<T>(found as object);
  }

  /** What of a value the schema does not allow; empty where it is valid. */
  faultsOf(schema: JsonSchema, value: unknown): string[] {
    const known = this.#validators.get(schema);
    const { components } = this.document;
    const validator = known ?? new Validator({ ...schema, components } as never, '2020-12', false);
    if (!known) this.#validators.set(schema, validator);
    const { valid, errors } = validator.validate(value);
    return valid ? [] : errors.map((error) => `${error.instanceLocation} ${error.error}`);
  }

  /**
   * What of an answer the document does not say: its status, its media type, or its body. Empty where the document
   * describes the answer.
   */
  faultsOfAnswer(
    operation: DescribedOperation,
    { status, type, text }: { status: number; type: string | undefined; text: string },
  ): string[] {
    const response = operation.responses[status];
    if (!response) return [`the status ${status} is not described: ${text.slice(0, 300)}`];
    const media = type?.split(';')[0];
    if (response.content === undefined || text === '') {
      return text === '' ? [] : [`a body with the status ${status}: ${text.slice(0, 300)}`];
    }
    const content = response.content[media ?? ''] ?? response.content['application/octet-stream'];
    if (!content) return [`the media type ${media} is not described for ${status}`];
    if (!media?.endsWith('json')) return [];
    return this.faultsOf(content.schema, JSON.parse(text)).slice(-3);
  }
}

/** Values that replace those of the examples. */
export interface Changes {
  parameters?: Record<string, unknown>;
  body?: unknown;
}

/** The request of an operation's examples, as a reference page sends it: required parameters, and those with an example. */
export function exampleRequest(
  { path, parameters, body }: DescribedOperation,
  changes: Changes = {},
): { path: string; options: RequestOptions } {
  const shownValue = ({ name, example }: Parameter) => changes.parameters?.[name] ?? example;
  const at = (place: Parameter['in']) =>
    parameters
      .filter((one) => one.in === place && shownValue(one) !== undefined)
      .map((one): [string, string] => [one.name, String(shownValue(one))]);
  const values = new Map(at('path'));
  const [media, content] = Object.entries(body?.content ?? {})[0] ?? [];
  const given = changes.body ?? content?.example;
  const isJson = media?.endsWith('json') ?? false;
  return {
    path: path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(values.get(name) ?? ''),
    ),
    options: {
      query: Object.fromEntries(at('query')),
      headers: {
        ...Object.fromEntries(at('header')),
        ...(media !== undefined && given !== undefined ? { 'content-type': media } : {}),
      },
      ...(given === undefined ? {} : { raw: isJson ? JSON.stringify(given) : formOrText(given) }),
    },
  };
}

const formOrText = (given: unknown): string =>
  typeof given === 'string' ? given : String(new URLSearchParams(given as Record<string, string>));
