// The question of the address, in views that show something about its answers.

import { question } from "../app/address.ts";

export function QuestionLine({ default: byDefault }: { default: string }) {
  return (
    <label class="question-line">
      <span>Question</span>
      <input
        type="text"
        value={question.value}
        placeholder={byDefault}
        autocomplete="off"
        spellcheck={false}
        maxLength={1000}
        onInput={(event) => question.set(event.currentTarget.value)}
      />
    </label>
  );
}
