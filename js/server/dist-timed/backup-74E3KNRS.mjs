import{createRequire as requireFrom}from"node:module";const require=requireFrom(import.meta.url);
import{adopt,backUp,restore}from"./chunk-6JA5HTTP.mjs";import"./chunk-IERW5ZN7.mjs";import"./chunk-UUOWVW54.mjs";import"./chunk-Y7ZR67TD.mjs";import"./chunk-JDPZUP5H.mjs";import"./chunk-R2D3UNJC.mjs";export{adopt,backUp,restore};
