/** What a file with some ending is. */
export interface FileKind {
  /** The media type of the attachment. */
  type: string;
  /** The media types that may be found in its bytes; null for a text, in which none is found. */
  found: readonly string[] | null;
}

const ZIP = 'application/zip';
const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN = 'application/vnd.oasis.opendocument';

const image = (subtype: string): FileKind => ({
  type: `image/${subtype}`,
  found: [`image/${subtype}`],
});
const text = (type: string): FileKind => ({ type, found: null });
/** An office document is a ZIP archive, and may be found to be no more. */
const archive = (type: string): FileKind => ({ type, found: [type, ZIP] });

/** The files that are taken, by the endings of their names. HTML and SVG, which a browser would run, are not among them. */
export const FILE_KINDS: Readonly<Record<string, FileKind>> = {
  png: image('png'),
  jpg: image('jpeg'),
  jpeg: image('jpeg'),
  gif: image('gif'),
  webp: image('webp'),
  pdf: { type: 'application/pdf', found: ['application/pdf'] },
  zip: archive(ZIP),
  docx: archive(`${OFFICE}.wordprocessingml.document`),
  xlsx: archive(`${OFFICE}.spreadsheetml.sheet`),
  pptx: archive(`${OFFICE}.presentationml.presentation`),
  odt: archive(`${OPEN}.text`),
  ods: archive(`${OPEN}.spreadsheet`),
  odp: archive(`${OPEN}.presentation`),
  txt: text('text/plain'),
  log: text('text/plain'),
  md: text('text/markdown'),
  csv: text('text/csv'),
  json: text('application/json'),
  yaml: text('application/yaml'),
  yml: text('application/yaml'),
};

const TEXT_TYPES: ReadonlySet<string> = new Set(
  Object.values(FILE_KINDS).flatMap(({ type, found }) => (found ? [] : [type])),
);

/** Whether attachments of the type are text in UTF-8. */
export const isTextType = (type: string): boolean => TEXT_TYPES.has(type);

/** Whether attachments of the type are images. */
export const isImageType = (type: string): boolean => type.startsWith('image/');
