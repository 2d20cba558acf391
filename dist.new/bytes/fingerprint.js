import { createHash } from 'node:crypto';
import { bytes } from '../std/brand.js';
export function createFingerprint() {
    const md5 = createHash('md5');
    const sha256 = createHash('sha256');
    let size = 0;
    return {
        add: (chunk) => {
            size += chunk.length;
            md5.update(chunk);
            sha256.update(chunk);
        },
        size: () => size,
        finish: () => ({ size: bytes(size), md5: md5.digest('hex'), sha256: sha256.digest('hex') }),
    };
}
