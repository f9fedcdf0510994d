// Vite's additions to modules. Vite's own declarations would change those of the other packages.

declare module "*?url" {
  const url: string;
  export default url;
}

interface ImportMeta {
  readonly env: { readonly PROD: boolean };
}
