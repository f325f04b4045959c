import { WorkspaceKeyModel } from '../../../models/workspace-key.model.ts';
import { rotateKeys } from '../../../services/connections/envelope/rotate-keys.ts';
import { logger } from '../../../support/logging.ts';
import { useEmptyDatabase } from '../../helpers/database.ts';
import { envelopeOf, masterKeysOf as keysOf, newMasterKey } from '../../helpers/envelopes.ts';

useEmptyDatabase([WorkspaceKeyModel]);

const [OLD, NEW] = [newMasterKey(), newMasterKey()];
const PLACE = { workspaceId: 7, id: 12, field: 'secret' };
const TEXT = 'p\u00e4ssword-canary';

describe('a sealed text', () => {
  it('opens in every process, and holds nothing of the text', async () => {
    const sealed = await envelopeOf(OLD).sealField(PLACE, TEXT);
    expect(await envelopeOf(OLD).openField(PLACE, sealed)).toBe(TEXT);
    const stored = JSON.stringify(await WorkspaceKeyModel.find().lean());
    for (const shown of [sealed, stored]) {
      expect(shown).not.toContain('canary');
      expect(shown).not.toContain(Buffer.from(TEXT).toString('base64url').slice(0, 12));
      expect(shown).not.toContain(OLD.slice(0, 12));
    }
  });

  it('is another one each time', async () => {
    const envelope = envelopeOf(OLD);
    const [one, other] = [
      await envelope.sealField(PLACE, TEXT),
      await envelope.sealField(PLACE, TEXT),
    ];
    expect(one).not.toBe(other);
  });

  it.each([
    { ...PLACE, id: 13 },
    { ...PLACE, field: 'access-token' },
    { ...PLACE, workspaceId: 8 },
  ])('does not open at %p', async (place) => {
    const envelope = envelopeOf(OLD);
    await envelope.sealField({ ...PLACE, workspaceId: 8 }, TEXT); // workspace 8 has a key as well
    const sealed = await envelope.sealField(PLACE, TEXT);
    await expect(envelope.openField(place, sealed)).rejects.toThrow(/does not open there/);
  });

  it('does not open with any bit changed', async () => {
    const envelope = envelopeOf(OLD);
    const sealed = await envelope.sealField(PLACE, TEXT);
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8((bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
      const text = `v1.${changed.toString('base64url')}`;
      await expect(envelope.openField(PLACE, text)).rejects.toThrow(/does not open there/);
    }
    for (const text of [
      '',
      'v1.',
      sealed.slice(0, -1),
      `${sealed}A`,
      sealed.slice(3),
      `v2.${sealed.slice(3)}`,
    ]) {
      await expect(envelope.openField(PLACE, text)).rejects.toThrow(/does not open there/);
    }
  });
});

describe('the key of a workspace', () => {
  it('is one, however many processes make it at once', async () => {
    const envelopes = Array.from({ length: 20 }, () => envelopeOf(OLD));
    const sealed = await Promise.all(envelopes.map((envelope) => envelope.sealField(PLACE, TEXT)));
    for (const text of sealed) expect(await envelopeOf(OLD).openField(PLACE, text)).toBe(TEXT);
    expect(await WorkspaceKeyModel.countDocuments()).toBe(1);
  });

  it('does not unwrap for another workspace', async () => {
    const sealed = await envelopeOf(OLD).sealField(PLACE, TEXT);
    const [stored] = await WorkspaceKeyModel.find().lean();
    if (!stored) throw new Error('no key');
    await WorkspaceKeyModel.create({ ...stored, _id: 8 });
    await expect(envelopeOf(OLD).openField({ ...PLACE, workspaceId: 8 }, sealed)).rejects.toThrow(
      /The key of workspace 8, wrapped by the master key [\da-f]{16}, is damaged/,
    );
  });

  it('is refused with 503 where its master key is missing, and stays as it is', async () => {
    const sealed = await envelopeOf(OLD).sealField(PLACE, TEXT);
    const before = await WorkspaceKeyModel.find().lean();
    const unavailable = { code: 503, type: 'UNAVAILABLE', data: { retryAfter: 5 } };
    const envelope = envelopeOf(NEW);
    const log = jest.spyOn(logger, 'error').mockReturnValue(undefined);
    await expect(envelope.openField(PLACE, sealed)).rejects.toMatchObject(unavailable);
    await expect(envelope.sealField(PLACE, TEXT)).rejects.toMatchObject(unavailable);
    expect(log).toHaveBeenCalledTimes(1);
    log.mockRestore();
    expect(await WorkspaceKeyModel.find().lean()).toEqual(before);
    expect(await rotateKeys(keysOf(NEW, OLD))).toMatchObject({ rewrapped: 1 });
    expect(await envelope.openField(PLACE, sealed)).toBe(TEXT);
  });

  it('is not made anew to open a text', async () => {
    const sealed = await envelopeOf(OLD).sealField(PLACE, TEXT);
    await WorkspaceKeyModel.deleteMany({});
    await expect(envelopeOf(OLD).openField(PLACE, sealed)).rejects.toThrow(/has no key/);
    expect(await WorkspaceKeyModel.countDocuments()).toBe(0);
  });
});

describe('a rotation', () => {
  const plant = async (count: number) => {
    const envelope = envelopeOf(OLD);
    const places = Array.from({ length: count }, (_, index) => ({
      ...PLACE,
      workspaceId: index + 1,
    }));
    return Promise.all(
      places.map(async (place) => ({ place, sealed: await envelope.sealField(place, TEXT) })),
    );
  };
  const expectAllOpen = async (planted: Awaited<ReturnType<typeof plant>>, ...keys: string[]) => {
    const envelope = envelopeOf(...keys);
    for (const { place, sealed } of planted)
      expect(await envelope.openField(place, sealed)).toBe(TEXT);
  };

  it('wraps every key by the first master key, so that the old one can go', async () => {
    const planted = await plant(250);
    expect(await rotateKeys(keysOf(NEW, OLD))).toEqual({ rewrapped: 250, failures: [], left: 0 });
    await expectAllOpen(planted, NEW);
    expect(await rotateKeys(keysOf(NEW, OLD))).toEqual({ rewrapped: 0, failures: [], left: 0 });
  });

  it('goes on after a stop at any point, and everything opens meanwhile', async () => {
    const planted = await plant(250);
    let checks = 0;
    const { rewrapped, left } = await rotateKeys(keysOf(NEW, OLD), () => ++checks > 1);
    expect({ rewrapped, left }).toEqual({ rewrapped: 100, left: 150 });
    await expectAllOpen(planted, OLD, NEW);
    expect(await rotateKeys(keysOf(NEW, OLD))).toEqual({ rewrapped: 150, failures: [], left: 0 });
    await expectAllOpen(planted, NEW);
  });

  it('may be done by several at once, while secrets are opened', async () => {
    const planted = await plant(250);
    const [one, other] = await Promise.all([
      rotateKeys(keysOf(NEW, OLD)),
      rotateKeys(keysOf(NEW, OLD)),
      expectAllOpen(planted, OLD, NEW),
    ]);
    expect(one.rewrapped + other.rewrapped).toBe(250);
    await expectAllOpen(planted, NEW);
  });

  it('says which keys no master key unwraps, and leaves them', async () => {
    await plant(1);
    const before = await WorkspaceKeyModel.find().lean();
    const [{ kid }] = keysOf(OLD);
    expect(await rotateKeys(keysOf(NEW))).toEqual({
      rewrapped: 0,
      left: 1,
      failures: [
        `CREDENTIALS_MASTER_KEYS lacks the key ${kid}, which wraps the key of workspace 1`,
      ],
    });
    expect(await WorkspaceKeyModel.find().lean()).toEqual(before);
  });
});
