/** The user of the operator's console, which may call every action and is never called. */
export const CONSOLE = 'console';

/** Returns the variable of the configuration that has a user's password. */
export const passwordVariable = (user: string): string =>
  `PASSWORD_${user.toUpperCase().replaceAll(/\W/g, '_')}`;

/** Returns the content of `passwords.conf`. */
export const passwordsFile = (passwords: Readonly<Record<string, string>>): string =>
  Object.entries(passwords)
    .map(([user, password]) => `${passwordVariable(user)}: ${JSON.stringify(password)}`)
    .join('\n');
