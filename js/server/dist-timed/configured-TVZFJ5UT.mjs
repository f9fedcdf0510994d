import{createRequire as requireFrom}from"node:module";const require=requireFrom(import.meta.url);
import{embedderOf}from"./chunk-5UPFJRGG.mjs";import"./chunk-UR2T7YWQ.mjs";import"./chunk-45OZK3BL.mjs";import"./chunk-R2D3UNJC.mjs";export{embedderOf};
