export default function Speed() {
  return <h1>Speed</h1>;
}
