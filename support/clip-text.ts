/** Cuts a text to that many UTF-16 code units. A cut text ends with an ellipsis, and no character is cut in halves. */
export const clipText = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${text.slice(0, maxChars - 1).toWellFormed()}…` : text;
