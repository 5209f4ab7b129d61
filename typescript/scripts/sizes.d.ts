export function measure(): Promise<Readonly<Record<string, { readonly minified: number; readonly gzip: number }>>>;
