// The question of the address, in views that show something about its answers.

import { question } from "../app/address.ts";

export function QuestionLine({ usual }: { usual: string }) {
  return (
    <label class="question-line">
      <span>Question</span>
      <input
        type="text"
        value={question.value}
        placeholder={usual}
        autocomplete="off"
        spellcheck={false}
        maxLength={1000}
        onInput={(event) => question.set(event.currentTarget.value)}
      />
    </label>
  );
}
