// The client of the server. The build puts it, with its types, into this package, so that a program
// needs no server beside it.

export * from "nous-server/client";
