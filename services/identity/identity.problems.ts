import { problemType } from '../../contract/problem.ts';

export const EmailAlreadyRegistered = problemType(
  'EMAIL_ALREADY_REGISTERED',
  409,
  'The e-mail address is already registered',
);
export const EmailAlreadyVerified = problemType(
  'EMAIL_ALREADY_VERIFIED',
  409,
  'The e-mail address is verified',
);
export const UserNotRegistered = problemType(
  'USER_NOT_REGISTERED',
  409,
  'The user has not registered',
);
export const MailNotResendable = problemType(
  'MAIL_NOT_RESENDABLE',
  409,
  'The mail cannot be sent again',
);
export const EmailInUse = problemType('EMAIL_IN_USE', 409, 'The e-mail address is in use');
export const TooManyAddressChanges = problemType(
  'TOO_MANY_ADDRESS_CHANGES',
  429,
  'Too many changes of the e-mail address',
);
export const RegistrationClosed = problemType('REGISTRATION_CLOSED', 403, 'Registration is closed');
export const DomainNotAllowed = problemType(
  'EMAIL_DOMAIN_NOT_ALLOWED',
  403,
  'The e-mail domain is not admitted',
);
export const InvalidCredentials = problemType(
  'INVALID_CREDENTIALS',
  401,
  'The e-mail address or the password is wrong',
);
export const InvalidClient = problemType('INVALID_CLIENT', 401, 'The client is not known');
export const UnsupportedGrantType = problemType(
  'UNSUPPORTED_GRANT_TYPE',
  400,
  'The grant type is not supported',
);
export const IdentityProviderUnavailable = problemType(
  'IDENTITY_PROVIDER_UNAVAILABLE',
  503,
  'The identity provider cannot be reached',
);
export const InvalidScope = problemType('INVALID_SCOPE', 400, 'The scope is not known');
export const InvalidRefreshToken = problemType(
  'INVALID_REFRESH_TOKEN',
  401,
  'The refresh token is not valid',
);
export const WrongPassword = problemType('WRONG_PASSWORD', 403, 'The current password is wrong');
export const RecentSignInRequired = problemType(
  'RECENT_SIGN_IN_REQUIRED',
  403,
  'The sign-in is too long ago',
);
export const ApiKeyEnded = problemType(
  'API_KEY_ENDED',
  409,
  'The API key is revoked or has expired',
);
export const TooManyAttempts = problemType(
  'TOO_MANY_ATTEMPTS',
  429,
  'Too many attempts to give or change a password',
);
