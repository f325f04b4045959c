import { SERVICES } from './compose.ts';
import { type Manifest, manifestOf } from './manifest.ts';

/** The name of the ConfigMap with the operator's settings. */
export const SETTINGS = 'settings';

/** The port at which each process serves its figures, inside of the cluster. */
export const METRICS_PORT = 9464;

/** Variables that no operator sets here, because another part of a manifest follows from them. */
export const FIXED: Readonly<Record<string, string>> = { METRICS_PORT: String(METRICS_PORT) };

/** Settings that have another default than with Docker Compose. */
const DEFAULTS: Readonly<Record<string, string>> = {
  PUBLIC_URL: 'https://automation.example.com',
  MAIL_FROM: 'automation@example.com',
  // Until all nodes and the ingress controller have heard that a gateway stops.
  STOP_NOTICE_MS: '5000',
};

/** All settings with their defaults; an empty one is as good as an unset one. */
export function settings(): Manifest {
  const entries = SERVICES.flatMap(({ environment }) => Object.entries(environment)).flatMap(
    ([name, value]): [string, string][] =>
      'setting' in value && !(name in FIXED)
        ? [[value.setting, DEFAULTS[value.setting] ?? value.byDefault]]
        : [],
  );
  return manifestOf('v1', 'ConfigMap', SETTINGS, { data: Object.fromEntries(entries.sort()) });
}
