import type { JsonSchema } from '../../../contract/json-schemas.ts';
import type { UploadRule } from '../../../contract/upload.ts';
import { FORM_DATA } from '../../../mixins/gateway/uploads/upload-headers.ts';

/** The bytes of a file, as OpenAPI 3.1 describes them. */
const BYTES: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' };

/** The body of a request that uploads a file. */
export const uploadBodyOf = ({ field, maxBytes }: UploadRule): JsonSchema => ({
  description: `One file of at most ${maxBytes / 1024} KiB`,
  required: true,
  content: {
    [FORM_DATA]: {
      schema: {
        type: 'object',
        required: [field],
        // Postman and others know a file by the format, which OpenAPI 3.0 had.
        properties: {
          [field]: { ...BYTES, format: 'binary', description: 'The file, with its name' },
        },
        additionalProperties: false,
      },
    },
  },
});

const headerOf = (description: string): JsonSchema => ({ description, schema: { type: 'string' } });

/** The headers of an answer with a file. */
const FILE_HEADERS: JsonSchema = {
  'Content-Disposition': headerOf('`attachment`, with the name of the file (RFC 6266)'),
  'Accept-Ranges': headerOf('`bytes`'),
};
const CONTENT_RANGE: JsonSchema = {
  'Content-Range': headerOf('The range, and the size of the file (RFC 9110, section 14.4)'),
};

/** The answers of an operation that answers a file, by status. `common` are the headers of each. */
export const fileAnswersOf = (common: JsonSchema): Record<string, JsonSchema> => {
  const content = { 'application/octet-stream': { schema: BYTES } };
  const headers = { ...common, ...FILE_HEADERS };
  return {
    200: { description: 'The file, with its own media type', headers, content },
    206: {
      description: 'One range of the file',
      headers: { ...headers, ...CONTENT_RANGE },
      content,
    },
  };
};

/** The parameters of the request headers by which a client asks for a part of a file. */
export const RANGE_PARAMETERS: readonly JsonSchema[] = [
  ['Range', 'One range of bytes; the whole file is answered to several ranges'],
  ['If-Range', 'The ETag of the file that the range is meant for'],
].map(([name, description]) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
}));
