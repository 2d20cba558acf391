export const bytes = (n) => n;
export const milliseconds = (n) => n;
export const seconds = (n) => n;
export const roleName = (name) => name;
