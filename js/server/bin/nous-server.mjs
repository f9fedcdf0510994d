#!/usr/bin/env node
// The program `nous-server`. This file is in the repository so that npm can link it before the
// first build.
import "../dist/cli.mjs";
