/** A failure that every further attempt would meet as well. */
export class PermanentMailError extends Error {}

/** The fields of a failure of nodemailer's connection. */
interface SmtpError {
  code?: unknown;
  command?: unknown;
  responseCode?: unknown;
  message?: unknown;
}

const fieldsOf = (error: unknown): SmtpError =>
  typeof error === 'object' && error !== null ? error : {};

/**
 * Whether the server has refused the recipient or the message for good (5xx, RFC 5321 4.2.1). Other failures, such as
 * of the sign-in or the sender, are of the configuration, so a later attempt may succeed.
 */
export function isRefusal(error: unknown): boolean {
  const { command, responseCode } = fieldsOf(error);
  const refuses = command === 'RCPT TO' || command === 'DATA';
  return refuses && typeof responseCode === 'number' && responseCode >= 500 && responseCode !== 503;
}

/**
 * Describes a failure by its codes alone. The server's text may repeat a line of the message, and so a token, and
 * the text of an error may contain an address.
 */
export function failureOf(error: unknown): string {
  const { code, command, responseCode, message } = fieldsOf(error);
  const parts = [
    typeof responseCode === 'number' ? `${responseCode}` : '',
    typeof code === 'string' ? code : '',
    typeof command === 'string' ? `at ${command.split(' ').slice(0, 2).join(' ')}` : '',
  ].filter(Boolean);
  return parts.join(' ') || String(message ?? 'unknown failure');
}
