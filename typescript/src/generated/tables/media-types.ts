// Generated from schemas/tables/media-types.json. Do not edit: change that, then
// run `python -m codegen`.

/**
 * Media types: which ones a provider reads, and what it calls them.
 *
 * Types are in lower case, without parameters; what is in no table goes to no provider, but for
 * what the description of a table says.
 */

/** Images that every provider reads that reads images, but for Gemini, which has its own list. */
export const IMAGES: ReadonlyArray<string> = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/**
 * Media type → the member of a content block of Converse, and its name of the format; other text is
 * a document of the format txt.
 */
export const BEDROCK: ReadonlyMap<string, readonly [string, string]> = new Map([
  ["image/png", ["image", "png"]],
  ["image/jpeg", ["image", "jpeg"]],
  ["image/gif", ["image", "gif"]],
  ["image/webp", ["image", "webp"]],
  ["application/pdf", ["document", "pdf"]],
  ["application/msword", ["document", "doc"]],
  ["application/vnd.ms-excel", ["document", "xls"]],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", [
    "document",
    "docx",
  ]],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ["document", "xlsx"]],
  ["text/csv", ["document", "csv"]],
  ["text/html", ["document", "html"]],
  ["text/markdown", ["document", "md"]],
  ["text/x-markdown", ["document", "md"]],
  ["video/x-matroska", ["video", "mkv"]],
  ["video/quicktime", ["video", "mov"]],
  ["video/mp4", ["video", "mp4"]],
  ["video/webm", ["video", "webm"]],
  ["video/x-flv", ["video", "flv"]],
  ["video/mpeg", ["video", "mpeg"]],
  ["video/x-ms-wmv", ["video", "wmv"]],
  ["video/3gpp", ["video", "three_gp"]],
  ["audio/mpeg", ["audio", "mp3"]],
  ["audio/mp3", ["audio", "mp3"]],
  ["audio/opus", ["audio", "opus"]],
  ["audio/wav", ["audio", "wav"]],
  ["audio/x-wav", ["audio", "wav"]],
  ["audio/aac", ["audio", "aac"]],
  ["audio/flac", ["audio", "flac"]],
  ["audio/mp4", ["audio", "mp4"]],
  ["audio/x-m4a", ["audio", "m4a"]],
  ["audio/ogg", ["audio", "ogg"]],
  ["audio/webm", ["audio", "webm"]],
  ["audio/x-matroska", ["audio", "mka"]],
]);

/** Types that Gemini reads inline, beside those of gemini_kinds. */
export const GEMINI: ReadonlyArray<string> = [
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/heic",
  "image/heif",
  "application/pdf",
  "application/x-javascript",
  "application/x-python",
];

/** What is before the slash of types that Gemini reads, whatever is behind it. */
export const GEMINI_KINDS: ReadonlyArray<string> = ["text", "audio", "video"];

/** Media type of audio → what Chat Completions calls the format. */
export const OPENAI_CHAT_AUDIO: ReadonlyMap<string, string> = new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/wave", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
]);

/** Documents that Responses reads, beside any text and those of the two tables that follow. */
export const OPENAI_RESPONSES: ReadonlyArray<string> = [
  "application/pdf",
  "application/rtf",
  "application/msword",
  "application/json",
  "application/xml",
  "application/csv",
  "application/sql",
  "application/toml",
  "application/yaml",
  "application/sh",
  "application/python",
  "application/javascript",
  "application/typescript",
  "application/httpd-php",
  "application/x-yaml",
  "application/x-sh",
  "application/x-python",
  "application/x-javascript",
  "application/x-typescript",
  "application/x-httpd-php",
];

/** What a type of application that Responses reads begins with, behind the slash. */
export const OPENAI_RESPONSES_PREFIXES: ReadonlyArray<string> = [
  "vnd.ms-word",
  "vnd.ms-excel",
  "vnd.ms-powerpoint",
  "vnd.openxmlformats-officedocument",
  "vnd.oasis.opendocument",
  "vnd.apple.pages",
  "vnd.apple.keynote",
  "vnd.apple.numbers",
];

/** What a type of application that Responses reads ends with, behind at least one character. */
export const OPENAI_RESPONSES_SUFFIXES: ReadonlyArray<string> = ["+json", "+xml"];

/** Ending of a file's name, in lower case → media type, as most systems know it. */
export const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["bmp", "image/bmp"],
  ["svg", "image/svg+xml"],
  ["tif", "image/tiff"],
  ["tiff", "image/tiff"],
  ["ico", "image/vnd.microsoft.icon"],
  ["heic", "image/heic"],
  ["heif", "image/heif"],
  ["avif", "image/avif"],
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
  ["md", "text/markdown"],
  ["html", "text/html"],
  ["htm", "text/html"],
  ["css", "text/css"],
  ["csv", "text/csv"],
  ["tsv", "text/tab-separated-values"],
  ["xml", "application/xml"],
  ["json", "application/json"],
  ["js", "text/javascript"],
  ["py", "text/x-python"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["rtf", "application/rtf"],
  ["ics", "text/calendar"],
  ["zip", "application/zip"],
  ["doc", "application/msword"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["xls", "application/vnd.ms-excel"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["ppt", "application/vnd.ms-powerpoint"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["odt", "application/vnd.oasis.opendocument.text"],
  ["ods", "application/vnd.oasis.opendocument.spreadsheet"],
  ["odp", "application/vnd.oasis.opendocument.presentation"],
  ["epub", "application/epub+zip"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/x-wav"],
  ["m4a", "audio/mp4"],
  ["ogg", "audio/ogg"],
  ["oga", "audio/ogg"],
  ["opus", "audio/ogg"],
  ["flac", "audio/flac"],
  ["aac", "audio/aac"],
  ["mp4", "video/mp4"],
  ["m4v", "video/mp4"],
  ["mov", "video/quicktime"],
  ["webm", "video/webm"],
  ["mkv", "video/x-matroska"],
  ["avi", "video/x-msvideo"],
  ["mpeg", "video/mpeg"],
  ["mpg", "video/mpeg"],
  ["3gp", "video/3gpp"],
  ["flv", "video/x-flv"],
  ["wmv", "video/x-ms-wmv"],
]);
