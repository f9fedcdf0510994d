import{createRequire as requireFrom}from"node:module";const require=requireFrom(import.meta.url);
var figuresOf=({errors,...figures})=>({...figures,errors:errors.length});export{figuresOf};
