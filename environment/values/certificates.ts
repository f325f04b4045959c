import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Whether the text is one or more X.509 certificates in PEM and nothing else but white space. */
export function areCertificates(text: string): boolean {
  const certificates = text.match(CERTIFICATE) ?? [];
  return (
    certificates.length > 0 &&
    text.replaceAll(CERTIFICATE, '').trim() === '' &&
    certificates.every(isCertificate)
  );
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== null;
  } catch {
    return false; // the text between the lines is no certificate
  }
}
