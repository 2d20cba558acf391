/** Whether a token has the letters of a compact JWS and no others (RFC 7515 7.1): decoders pass over padding, blanks and a second alphabet. */
export const isCompact = (token: string): boolean => /^[\w.-]+$/.test(token)
