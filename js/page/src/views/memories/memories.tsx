export default function Memories() {
  return <h1>Memories</h1>;
}
