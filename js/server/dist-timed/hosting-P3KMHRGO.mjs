import{createRequire as requireFrom}from"node:module";const require=requireFrom(import.meta.url);
import{agentsIn,deleteAgent,purgeNode}from"./chunk-BVRVIBEO.mjs";import"./chunk-IERW5ZN7.mjs";import"./chunk-OQLRPGOQ.mjs";import"./chunk-UUOWVW54.mjs";import"./chunk-Y7ZR67TD.mjs";import"./chunk-JDPZUP5H.mjs";import"./chunk-R2D3UNJC.mjs";export{agentsIn,deleteAgent,purgeNode};
