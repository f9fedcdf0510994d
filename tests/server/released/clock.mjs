// Loaded before the program: its clock stands still at no moment, and is CLOCK_AHEAD milliseconds
// ahead of that of the machine. A data folder of an old release is opened at the time of its making,
// so that nothing in it has expired since.

const AHEAD = Number(process.env.CLOCK_AHEAD ?? 0);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + AHEAD);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + AHEAD;
  }
};
