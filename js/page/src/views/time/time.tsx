export default function Time() {
  return <h1>Time</h1>;
}
