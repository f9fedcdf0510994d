import{createRequire as requireFrom}from"node:module";const require=requireFrom(import.meta.url);
import{randomBytes}from"node:crypto";var ALPHABET="0123456789abcdefghjkmnpqrstvwxyz",LENGTH=12;function newId(prefix){let characters=Array.from(randomBytes(LENGTH),byte=>ALPHABET[byte%ALPHABET.length]);return`${prefix}_${characters.join("")}`}export{newId};
