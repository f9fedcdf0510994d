// Names by which notes link to each other: `[[Name]]`, `[[folder/Name|words]]`, `[[Name#Heading]]`.

/** A link to the note of a name. */
export interface NoteLink {
  type: string;
  name: string;
}

const WIKILINK = /!?\[\[([^\][\n]{1,300})\]\]/g;

/** Returns the name of the file that a link names, without a heading and the words that it shows. */
export const nameIn = (link: string): string => link.split(/[|#]/)[0]!.trim();

/** Returns the names of the notes to which a text links, once each. Embedded pictures are none. */
export const linksOf = (text: string): string[] => [
  ...new Set(
    Array.from(text.matchAll(WIKILINK), ([, link]) => nameIn(link!)).filter(
      (name) => name !== "" && !/\.(?:png|jpe?g|gif|svg|webp|pdf|mp[34]|wav|m4a)$/i.test(name),
    ),
  ),
];

/** Returns the name of a file without its folder and its ending. */
export const titleOfFile = (file: string): string =>
  file.replace(/^.*\//, "").replace(/\.[^.]+$/, "");

/** Returns a name as links are compared: without case, folders joined by "/". */
export const foldedName = (name: string): string =>
  name.normalize("NFC").toLowerCase().replaceAll("\\", "/").replace(/\.md$/, "").trim();
