export type UrlTemplateErrorCode =
  /** The text is longer than an address may be, as a template or filled. */
  | 'TOO_LONG'
  | 'NOT_ABSOLUTE'
  /** The scheme is not http or https. */
  | 'OTHER_SCHEME'
  | 'HAS_CREDENTIALS'
  | 'HAS_FRAGMENT'
  /** A placeholder stands outside path and query. */
  | 'PLACEHOLDER_MISPLACED'
  | 'UNBALANCED_BRACES'
  | 'INVALID_NAME'
  /** A character that the URL parser drops or reads as a slash: space, control character, backslash, half a surrogate pair. */
  | 'INVALID_CHARACTER'
  /** A `%` that does not begin an encoded byte. */
  | 'INVALID_ESCAPE'
  /** A segment of the path is `.` or `..`, which the URL parser removes. */
  | 'DOT_SEGMENT'
  /** A placeholder has no value. */
  | 'MISSING_VALUE'
  /** A value of the path belongs to no placeholder. */
  | 'SURPLUS_VALUE'
  /** A value of the path is empty. */
  | 'EMPTY_VALUE'
  /** A value is no text that can be encoded, or a list where one text is needed. */
  | 'INVALID_VALUE';

/** The part of a URL that may have placeholders. */
export type TemplatePart = 'path' | 'query';

/** A URL template that is not valid, or values that do not fit the template. The message never contains a value. */
export class UrlTemplateError extends Error {
  override readonly name = 'UrlTemplateError';
  readonly code: UrlTemplateErrorCode;
  /** The value that does not fit: the part of the URL and the name. Absent for an invalid template. */
  readonly value: { part: TemplatePart; name: string } | undefined;

  constructor(
    code: UrlTemplateErrorCode,
    message: string,
    value?: { part: TemplatePart; name: string },
  ) {
    super(message);
    this.code = code;
    this.value = value;
  }
}
