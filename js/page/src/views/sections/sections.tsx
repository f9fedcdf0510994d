export default function Sections() {
  return <h1>Sections</h1>;
}
