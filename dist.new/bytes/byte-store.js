export class TooManyBytes extends Error {
    name = 'TooManyBytes';
}
export class VersionExists extends Error {
    name = 'VersionExists';
}
export class NoSuchBytes extends Error {
    name = 'NoSuchBytes';
}
