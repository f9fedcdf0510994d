// A slider with its name, its value as a number to type, and marks at zero and at the default
// value.

interface SliderProps {
  label: string;
  /** The subject of the slider, for screen readers. */
  of: string;
  /** A sentence about its effect. */
  about: string;
  value: number;
  default: number;
  min: number;
  max: number;
  digits: number;
  unit?: string;
  onChange: (value: number | undefined) => void;
}

export function Slider(props: SliderProps) {
  const {
    label,
    of,
    about,
    value,
    default: byDefault,
    min,
    max,
    digits,
    unit = "",
    onChange,
  } = props;
  const step = 10 ** -digits;
  const isDefault = (other: number) => Math.abs(other - byDefault) < 0.5 * step;
  const told = `${value < 0 ? "−" : ""}${Math.abs(value).toFixed(digits)}${unit === "" ? "" : ` ${unit}`}`;
  const shareOf = (number: number) => (Math.min(max, Math.max(min, number)) - min) / (max - min);
  // The middle of the thumb, which is 1rem wide, stays half of it away from both ends.
  const at = (share: number) => `calc(0.5rem + (100% - 1rem) * ${share})`;
  const [zero, now] = [shareOf(0), shareOf(value)];
  const fill = {
    left: at(Math.min(zero, now)),
    width: `calc((100% - 1rem) * ${Math.abs(now - zero)})`,
  };
  const take = (number: number) => {
    const next = Number(Math.min(max, Math.max(min, number)).toFixed(digits));
    onChange(isDefault(next) ? undefined : next);
  };
  return (
    <div class={isDefault(value) ? "slider" : "slider changed"}>
      <span class="name" title={about}>
        {label}
      </span>
      <span class="track">
        <i class="rail" aria-hidden="true" />
        <i class="fill" style={fill} aria-hidden="true" />
        {min < 0 ? <i class="zero" style={{ left: at(zero) }} aria-hidden="true" /> : null}
        <i class="default" style={{ left: at(shareOf(byDefault)) }} aria-hidden="true" />
        <input
          type="range"
          aria-label={`${label}, ${of}`}
          aria-valuetext={told}
          title={about}
          min={min}
          max={max}
          step="any"
          value={value}
          onInput={(event) => take(event.currentTarget.valueAsNumber)}
        />
      </span>
      <span class="amount">
        <input
          type="number"
          aria-label={`${label}, ${of}, as a number`}
          min={min}
          max={max}
          step={step}
          value={value.toFixed(digits)}
          onChange={(event) => {
            const input = event.currentTarget;
            if (!Number.isNaN(input.valueAsNumber)) take(input.valueAsNumber);
            // Unreadable numbers, and numbers out of range, are removed.
            else input.value = value.toFixed(digits);
          }}
        />
        {unit === "" ? null : <span class="unit">{unit}</span>}
      </span>
    </div>
  );
}
