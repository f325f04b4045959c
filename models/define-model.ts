import { type IndexDefinition, type IndexOptions, type Model, model, Schema } from 'mongoose';
import { assertLifecycle, type Lifecycle, renameIndexesOf } from './lifecycle.ts';
import { omitNullAnswers } from './null-answers.ts';

/** A field of a document, with its schema for mongoose and its type `T`. */
export interface Field<T, IsOptional extends boolean = boolean> {
  readonly schema: { readonly type: unknown; readonly default?: unknown };
  readonly isOptional: IsOptional;
  /** Never set. The property only has the type `T` for `DocumentOf`. */
  readonly value?: T;
}
type Fields = Readonly<Record<string, Field<unknown>>>;

type ValueOf<F> = F extends Field<infer T> ? T : never;
type OptionalKeys<F extends Fields> = {
  [K in keyof F]: F[K]['isOptional'] extends true ? K : never;
}[keyof F];
type Flat<T> = { [K in keyof T]: T[K] };
/** The type of the documents, or of the objects within documents, that have these fields. */
export type DocumentOf<F extends Fields> = Flat<
  { -readonly [K in keyof Omit<F, OptionalKeys<F>>]: ValueOf<F[K]> } & {
    -readonly [K in keyof Pick<F, OptionalKeys<F>>]?: ValueOf<F[K]>;
  }
>;

const required = <T>(type: unknown, defaultValue?: unknown): Field<T, false> => ({
  schema: { type, ...(defaultValue === undefined ? {} : { default: defaultValue }) },
  isOptional: false,
});

/** The kinds of fields of a document. */
export const field = {
  number: required<number>(Number),
  string: required<string>(String),
  boolean: required<boolean>(Boolean),
  date: required<Date>(Date),
  /** True or absent. A sparse or partial index leaves out documents without the flag. */
  flag: { schema: { type: Boolean, default: undefined }, isOptional: true } as Field<true, true>,
  /** One of some strings: `field.stringOf<RunStatus>()`. */
  stringOf: <T extends string>() => required<T>(String),
  /** Any value that the database can store. Mongoose does not check the value. */
  mixed: <T>() => required<T>(Schema.Types.Mixed),
  nullable: <T>({ schema }: Field<T>) => required<T | null>(schema.type, null),
  /** A list, empty unless given. */
  list: <T>({ schema }: Field<T>) => required<T[]>([schema]),
  object: <F extends Fields>(fields: F) =>
    required<DocumentOf<F>>(schemaOf(fields, { _id: false })),
  /** A field that is absent unless given. */
  optional: <T>({ schema }: Field<T>): Field<T, true> => ({
    schema: { type: schema.type, default: undefined },
    isOptional: true,
  }),
};

/** Makes a schema that refuses writes of unknown paths. Without `strict: 'throw'` mongoose would drop them. */
const schemaOf = (fields: Fields, options: { _id?: false; collection?: string }): Schema =>
  new Schema(
    Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])) as never,
    { ...options, id: false, versionKey: false, minimize: false, strict: 'throw' } as never,
  );

/** The fields of an index in their order, and its options. */
export type Index = readonly [IndexDefinition, IndexOptions?];

/** Makes the model of a collection. Its documents have the type `DocumentOf<typeof fields>`; see `lifecycleOf`. */
export function defineModel<F extends Fields>(definition: {
  name: string;
  collection: string;
  fields: F;
  indexes?: readonly Index[];
  lifecycle: Lifecycle<keyof F & string>;
}): Model<DocumentOf<F>> {
  const { name, collection, fields, indexes = [], lifecycle } = definition;
  const schema = schemaOf(fields, { collection });
  assertLifecycle(name, schema, lifecycle);
  for (const [keys, options] of [...indexes, ...renameIndexesOf(schema, lifecycle)]) {
    schema.index(keys, options);
  }
  const made = model<DocumentOf<F>>(name, schema);
  omitNullAnswers(made.collection, schema);
  return Object.assign(made, { lifecycle });
}
