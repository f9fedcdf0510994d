// `npm start`: sets up and builds what is missing, then serves; where something is asked, it is answered over the sample memory.

await import(process.argv.length > 2 ? "./ask.mjs" : "./serve.mjs");
