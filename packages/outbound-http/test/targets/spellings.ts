/** The octets of an IPv4 address. */
type Octets = readonly [number, number, number, number];

const octal = (value: number): string => `0${value.toString(8)}`;
const hex = (value: number): string => `0x${value.toString(16)}`;
const hextets = ([a, b, c, d]: Octets): string =>
  `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
const fullWidth = (text: string): string =>
  text.replace(/[0-9.]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));
const percentEncoded = (text: string): string =>
  text.replace(/./g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/** The hosts of a URL that mean the IPv4 address itself. */
export function spellingsOf(octets: Octets): string[] {
  const [a, b, c, d] = octets;
  const dotted = octets.join('.');
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  return [
    dotted,
    `${dotted}.`,
    `${whole}`,
    `${whole}.`,
    octal(whole),
    `000${octal(whole)}`,
    hex(whole),
    hex(whole).toUpperCase(),
    octets.map(octal).join('.'),
    octets.map((octet) => `00${octal(octet)}`).join('.'),
    octets.map(hex).join('.'),
    octets.map((octet) => `0X000${octet.toString(16)}`).join('.'),
    `${hex(a)}.${b}.${octal(c)}.${d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${hex(a)}.${octal((b * 256 + c) * 256 + d)}`,
    fullWidth(dotted),
    fullWidth(`${whole}`),
    octets.join('。'),
    octets.join('｡'),
    percentEncoded(dotted),
    percentEncoded(hex(whole)),
    dotted.replace('.', '%E3%80%82'),
    dotted.replace(/\d/, (digit) => String.fromCodePoint(0x1d7ce + Number(digit))),
    dotted.replace('.', '\u00ad.'),
  ];
}

/** The IPv6 hosts of a URL that contain the IPv4 address. */
export function embeddingsOf(octets: Octets): string[] {
  const [dotted, two] = [octets.join('.'), hextets(octets)];
  const inverted = hextets(octets.map((octet) => 255 - octet) as unknown as Octets);
  return [
    `[::ffff:${dotted}]`, // IPv4-mapped
    `[::FFFF:${two}]`,
    `[0:0:0:0:0:ffff:${dotted}]`,
    `[::${dotted}]`, // IPv4-compatible
    `[::ffff:0:${dotted}]`, // IPv4-translated
    `[64:ff9b::${dotted}]`, // NAT64
    `[64:ff9b:1::${two}]`, // NAT64 of a site
    `[2002:${two}::]`, // 6to4
    `[2001:0:0808:0808::${inverted}]`, // Teredo
    `[2001::${two}]`,
    `[fe80::5efe:${dotted}]`, // ISATAP
    `[2a00:1450::5efe:${two}]`,
    `[2a00:1450::200:5efe:${dotted}]`,
  ];
}

/** IPv4 addresses that are called nowhere, one of each range and both ends of the most important ones. */
export const REFUSED_IPV4 = [
  ...['0.0.0.0', '0.1.2.3', '0.255.255.255', '10.0.0.0', '10.255.255.255'],
  ...['100.64.0.1', '100.127.255.255', '127.0.0.2', '127.255.255.254', '169.254.0.1'],
  ...['169.254.170.2', '169.254.169.253', '168.63.129.16', '172.16.0.0', '172.31.255.255'],
  ...['192.0.0.1', '192.0.0.192', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1'],
  ...['192.168.0.0', '192.168.255.255', '192.175.48.1', '198.18.0.1', '198.19.255.255'],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1'],
  ...['255.255.255.254', '255.255.255.255', '0', '00', '0x0', '0x', '0.0', '0.0.0', '00000000000'],
];

/** IPv6 hosts of a URL that are called nowhere. */
export const REFUSED_IPV6 = [
  ...['[::]', '[0:0:0:0:0:0:0:0]', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::2]'],
  ...['[100::1]', '[2001:2::1]', '[2001:3::1]', '[2001:10::1]', '[2001:20::1]', '[2001:1::1]'],
  ...['[2001:db8::1]', '[2001:DB8:ffff::1]', '[2620:4f:8000::1]', '[3ffe::1]', '[3fff::1]'],
  ...['[4000::1]', '[5f00::1]', '[8000::1]', '[e000::1]', '[fc00::1]', '[fd00:ec2::254]'],
  ...[
    '[fd20:ce::254]',
    '[FDFF::1]',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[ff0e::1]',
  ],
];

/** Addresses that are no URL that can be called, whatever stands behind them. */
export const NO_TARGETS = [
  ...['http://256.0.0.1:PORT/', 'http://127.0.0.256:PORT/', 'http://127.0.0.0.1:PORT/'],
  ...['http://4294967296:PORT/', 'http://0x1ffffffff:PORT/', 'http://127.0.65536:PORT/'],
  ...['http://127.0x:PORT.0.1/', 'http://08.0.0.1:PORT/', 'http://1.2.3.4.5:PORT/'],
  ...['http://127.0.0.1%00:PORT/', 'http://127.0.0.1%20:PORT/', 'http://127.0.0.1%2f:PORT/'],
  ...['http://127.0.0.1%23@8.8.8.8:PORT/', 'http://[::1%25lo]:PORT/', 'http://[::1%lo]:PORT/'],
  ...['http://[fe80::1%25eth0]:PORT/', 'http://[::1]PORT/', 'http://::1:PORT/', 'http://[1]:PORT/'],
  ...[
    'http://[::ffff:127.1]:PORT/',
    'http://[::ffff:0x7f.0.0.1]:PORT/',
    'http://[127.0.0.1]:PORT/',
  ],
  ...['http://user:secret@127.0.0.1:PORT/', 'http://user@127.0.0.1:PORT/', 'http://:x@[::1]:PORT/'],
  ...['http://8.8.8.8@127.0.0.1:PORT/', 'http://8.8.8.8:80@127.0.0.1:PORT/'],
  ...['http://8.8.8.8%40@127.0.0.1:PORT/'],
  ...['ftp://127.0.0.1:PORT/', 'ws://127.0.0.1:PORT/', 'wss://127.0.0.1:PORT/'],
  ...['file://127.0.0.1/etc/passwd', 'file:///etc/passwd', 'gopher://127.0.0.1:PORT/x'],
  ...['data:text/plain,x', 'blob:http://127.0.0.1:PORT/x', 'javascript:fetch("http://127.0.0.1")'],
  ...[
    'unix:/run/docker.sock',
    'http+unix://%2Frun%2Fdocker.sock/',
    'view-source:http://127.0.0.1/',
  ],
  ...['jar:http://127.0.0.1:PORT/!/', 'dict://127.0.0.1:PORT/', 'ldap://127.0.0.1:PORT/'],
  ...[
    '//127.0.0.1:PORT/',
    '/127.0.0.1:PORT',
    '127.0.0.1:PORT',
    'localhost:PORT',
    'http:',
    'http://',
  ],
  ...[
    'http://:PORT/',
    'http://?127.0.0.1:PORT',
    'http://#127.0.0.1:PORT',
    'http://%/',
    'http://a b/',
  ],
  ...[
    'http://127.0.0.1:99999/',
    'http://127.0.0.1:-1/',
    'http://127.0.0.1:PORT1e1/',
    'https://[',
    '',
  ],
];

/** URLs of the loopback address whose characters the URL parser drops or changes. */
export const ODD_URLS = [
  ...['HTTP://127.0.0.1:PORT/', ' http://127.0.0.1:PORT/ ', 'ht\ntp://127.0.0.1:PORT/'],
  ...['http://127.0.\t0.1:PORT/', 'http:\\\\127.0.0.1:PORT\\', 'http:/127.0.0.1:PORT/'],
  ...['http:127.0.0.1:PORT/', 'http:////127.0.0.1:PORT/', 'http:/\\127.0.0.1:PORT/'],
  ...['\0http://127.0.0.1:PORT', 'http://127.0.0.1:0PORT', 'http://@127.0.0.1:PORT/'],
  ...[
    'http://127.0.0.1:PORT/#@8.8.8.8/',
    'http://127.0.0.1:PORT?@8.8.8.8/',
    'http://[::1]:PORT\\@8.8.8.8',
    'http://127.0.0.1:PORT\\.8.8.8.8/',
  ],
];

/** Names of machines that only their own network knows, as a URL has them and as the resolver is asked. */
export const LOCAL_NAMES: [host: string, name: string][] = [
  ...['localhost', 'localhost.', 'a.localhost', 'a.b.localhost.', 'localhost.localdomain'],
  ...['localhost6', 'localhost6.localdomain6', 'ip6-localhost', 'ip6-loopback', 'broadcasthost'],
  ...['ip6-localnet', 'ip6-allnodes', 'loopback', 'localhost4', 'host.docker.internal'],
  ...['gateway.docker.internal', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'],
  ...['metadata', 'metadata.google.internal', 'metadata.google.internal.', 'metadata.goog'],
  ...[
    'instance-data',
    'instance-data.ec2.internal',
    'metadata.tencentyun.com',
    'metadata.azure.com',
  ],
  ...[
    '127.0.0.1.nip.io',
    '7f000001.nip.io',
    'localtest.me',
    'router.local',
    'wpad',
    '_gateway',
    '127.0.0.1..',
  ],
].map((name): [string, string] => [name, name]);
LOCAL_NAMES.push(
  ['LOCALHOST', 'localhost'],
  ['LocalHost.', 'localhost.'],
  ['ｌｏｃａｌｈｏｓｔ', 'localhost'],
  ['ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'localhost'],
  ['loc%61lhost', 'localhost'],
  ['local\u00adhost', 'localhost'],
  ['localhoſt', 'localhost'],
  ['metadata。google．internal', 'metadata.google.internal'],
  ['𝐦etadata.google.internal', 'metadata.google.internal'],
);
