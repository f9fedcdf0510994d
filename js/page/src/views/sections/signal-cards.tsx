// The profiles of the sections for the ranking by six signals: weights, fading, boost.

import type { MemorySection, SectionProfile } from "nous-wasm";
import { count, counted, SECTION_NAMES, SECTIONS } from "../../app/format.ts";
import type { States } from "../../memory/sections.ts";
import {
  edits,
  rebalanced,
  resetSection,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  SIGNAL_NAMES,
  SIGNALS,
  setEdit,
  thousandths,
  WHOLE,
} from "./edits.ts";
import { Slider } from "./slider.tsx";

/** The states, as sentences name them; the engine has them in this order. */
const STATES = ["active", "weak", "dormant", "to compress", "to archive"];

/** The least distance of the two thresholds. */
const APART = 0.01;
const round = (value: number): number => Math.round(value * 100) / 100;

interface CardsProps {
  profiles: Readonly<Record<MemorySection, SectionProfile>>;
  states: States | undefined;
}

export function SignalCards({ profiles, states }: CardsProps) {
  return (
    <>
      <p class="note">
        The six weights of a section sum to 1. If you raise one, the others give way in proportion.
      </p>
      <div class="cards">
        {SECTIONS.map((section) => (
          <ProfileCard
            key={section}
            section={section}
            profile={profiles[section]}
            states={states?.[section]}
          />
        ))}
      </div>
    </>
  );
}

interface ProfileCardProps {
  section: MemorySection;
  profile: SectionProfile;
  states: readonly number[] | undefined;
}

function ProfileCard({ section, profile, states }: ProfileCardProps) {
  const edit = edits.value[section] ?? {};
  const name = SECTION_NAMES[section];
  const byDefault = thousandths(profile);
  const weights = edit.weights ?? byDefault;
  const weigh = (place: number, value: number) => {
    const next = rebalanced(weights, place, Math.round(value * WHOLE), byDefault);
    setEdit(section, { weights: next.join() === byDefault.join() ? undefined : next });
  };
  const set = (setting: SettingName, value: number | undefined) => {
    const now = (name: SettingName) => edit[name] ?? SETTINGS[name].of(profile);
    const next = value ?? SETTINGS[setting].of(profile);
    // The threshold of weak memories stays below that of active ones: one pushes the other.
    const pushed =
      setting === "active" && now("weak") >= next
        ? { weak: Math.max(0, round(next - APART)) }
        : setting === "weak" && now("active") <= next
          ? { active: Math.min(1, round(next + APART)) }
          : {};
    setEdit(section, { [setting]: value, ...pushed });
  };
  const total = states?.reduce((sum, one) => sum + one, 0) ?? 0;
  return (
    <section class={`card s-${section}`} aria-label={name}>
      <header>
        <h2 class="section">{name}</h2>
        <span class="size">{states === undefined ? "" : counted(total, "memory", "memories")}</span>
        {Object.keys(edit).length === 0 ? null : (
          <button type="button" class="more" onClick={() => resetSection(section)}>
            Reset<span class="hidden"> {name}</span>
          </button>
        )}
      </header>
      {SIGNAL_NAMES.map((signal, place) => (
        <Slider
          key={signal}
          {...SIGNALS[signal]}
          of={name}
          value={weights[place]! / WHOLE}
          default={byDefault[place]! / WHOLE}
          min={0}
          max={1}
          digits={2}
          onChange={(value) => weigh(place, value ?? byDefault[place]! / WHOLE)}
        />
      ))}
      <h3>Fading and boost</h3>
      {SETTING_NAMES.map((setting) => {
        const { of, ...about } = SETTINGS[setting];
        return (
          <Slider
            key={setting}
            {...about}
            of={name}
            value={edit[setting] ?? of(profile)}
            default={of(profile)}
            onChange={(value) => set(setting, value)}
          />
        );
      })}
      {states === undefined ? null : (
        <>
          <div class="state-shares" aria-hidden="true">
            {states.map((number, place) => (
              <i key={STATES[place]} style={{ flexGrow: number }} />
            ))}
          </div>
          <p class="note">
            {total === 0
              ? "No memories in this section."
              : `Now ${states.flatMap((number, place) => (number === 0 ? [] : `${count(number)} ${STATES[place]}`)).join(", ")}.`}
          </p>
        </>
      )}
    </section>
  );
}
