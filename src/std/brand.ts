declare const brand: unique symbol

/** A value whose name or unit is part of its type: a number of bytes is not a number of seconds. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name }

export type Bytes = Brand<number, 'Bytes'>
export type Milliseconds = Brand<number, 'Milliseconds'>
export type Seconds = Brand<number, 'Seconds'>
export type RoleName = Brand<string, 'RoleName'>

export const bytes = (n: number): Bytes => n as Bytes
export const milliseconds = (n: number): Milliseconds => n as Milliseconds
export const seconds = (n: number): Seconds => n as Seconds
export const roleName = (name: string): RoleName => name as RoleName
