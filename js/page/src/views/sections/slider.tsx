// A slider with its name, its value, and a mark at the usual value.

interface SliderProps {
  label: string;
  /** What the slider belongs to, for readers who hear it alone. */
  of: string;
  /** A sentence on what it does. */
  about: string;
  value: number;
  usual: number;
  least: number;
  most: number;
  digits: number;
  unit?: string;
  onChange: (value: number | undefined) => void;
}

export function Slider(props: SliderProps) {
  const { label, of, about, value, usual, least, most, digits, unit = "", onChange } = props;
  const told = `${value < 0 ? "−" : ""}${Math.abs(value).toFixed(digits)}${unit === "" ? "" : ` ${unit}`}`;
  const isChanged = Math.abs(value - usual) >= 0.5 * 10 ** -digits;
  // The middle of the thumb, which is 1rem wide, stays half of it away from both ends.
  const share = (Math.min(most, Math.max(least, usual)) - least) / (most - least);
  const mark = `calc(0.5rem + (100% - 1rem) * ${share})`;
  return (
    <div class={isChanged ? "slider changed" : "slider"}>
      <span class="name" title={about}>
        {label}
      </span>
      <span class="track">
        <i style={{ left: mark }} aria-hidden="true" />
        <input
          type="range"
          aria-label={`${label}, ${of}`}
          aria-valuetext={told}
          title={about}
          min={least}
          max={most}
          step="any"
          value={value}
          onInput={(event) => {
            const next = Number(event.currentTarget.valueAsNumber.toFixed(digits));
            onChange(Math.abs(next - usual) < 0.5 * 10 ** -digits ? undefined : next);
          }}
        />
      </span>
      <output class="amount">{told}</output>
    </div>
  );
}
