import { environment, isLocalDevelopment, publicUrl } from '../../../../environment/environment.ts';
import { isLoopbackHost } from '../../../../environment/values/loopback.ts';

const ORIGINS: ReadonlySet<string> = new Set([
  new URL(publicUrl).origin,
  ...environment.CORS_ORIGINS,
]);

/**
 * Whether pages of the origin may send messages: this service's own, those of `CORS_ORIGINS`, and in local development
 * those of this machine. A page of another origin may have made its name point here (DNS rebinding).
 */
export function isAllowedOrigin(origin: string): boolean {
  return ORIGINS.has(origin) || (isLocalDevelopment && isOfThisMachine(origin));
}

function isOfThisMachine(origin: string): boolean {
  const { hostname } = URL.parse(origin) ?? {};
  return hostname !== undefined && isLoopbackHost(hostname.replace(/^\[(.*)\]$/, '$1'));
}
