export default function Context() {
  return <h1>Context</h1>;
}
