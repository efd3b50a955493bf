/**
 * Media types that OpenAI takes as `input_image`.
 *
 * @see {@link https://developers.openai.com/api/docs/guides/images-vision#image-input-requirements}
 */
export const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])

/** A file has less. */
export const maxFileBytes = 50_000_000

/**
 * Media types that OpenAI takes as `input_file`, with the extension that a file of each has.
 *
 * @see {@link https://developers.openai.com/api/docs/guides/file-inputs#full-list-of-accepted-file-types}
 */
export const fileExtensions: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  // Spreadsheets.
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.ms-excel', 'xls'],
  ['text/csv', 'csv'],
  ['application/csv', 'csv'],
  ['text/tsv', 'tsv'],
  // Documents.
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/msword', 'doc'],
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/rtf', 'rtf'],
  ['text/rtf', 'rtf'],
  // Presentations.
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'],
  ['application/vnd.ms-powerpoint', 'ppt'],
  // Text and code.
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['text/html', 'html'],
  ['text/css', 'css'],
  ['text/xml', 'xml'],
  ['application/json', 'json'],
  ['application/javascript', 'js'],
  ['text/javascript', 'js'],
  ['text/x-python', 'py'],
  ['text/x-c', 'c'],
  ['text/x-c++', 'cpp'],
  ['application/x-sql', 'sql'],
  ['text/x-rst', 'rst'],
  ['text/calendar', 'ics'],
  ['text/x-vcard', 'vcf'],
  ['text/vtt', 'vtt'],
  ['text/srt', 'srt'],
  ['message/rfc822', 'eml'],
])
