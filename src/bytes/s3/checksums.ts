import { StoreUnavailable } from '../byte-store.ts'

/** Name of the user metadata that holds our hash of an object that went in one call. */
export const SHA256 = 'stowage-sha256'

export const contentMd5 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')

type Tagged = {
  readonly ETag?: string | undefined
  readonly ServerSideEncryption?: string | undefined
  readonly SSECustomerAlgorithm?: string | undefined
}

/**
 * Whether the store has what was sent: a tag that has the form of an MD5 is one, unless the store encrypts with keys of its customer's
 * (S3: Common response headers, ETag).
 * @throws StoreUnavailable
 */
export function checkTag({ ETag = '', ServerSideEncryption, SSECustomerAlgorithm }: Tagged, md5: string): void {
  if (SSECustomerAlgorithm !== undefined || ServerSideEncryption?.startsWith('aws:')) return
  const tag = ETag.replaceAll('"', '').toLowerCase()
  if (/^[0-9a-f]{32}$/.test(tag) && tag !== md5)
    throw new StoreUnavailable(`the byte store has other bytes than were sent: their MD5 is ${tag} and not ${md5}`)
}

/** @throws StoreUnavailable */
export function checkSize(found: { readonly ContentLength?: number | undefined } | null, size: number): void {
  if (found?.ContentLength !== size)
    throw new StoreUnavailable(`the byte store has ${found?.ContentLength ?? 'no'} bytes where ${size} were stored`)
}
