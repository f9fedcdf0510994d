export default function WhyNot() {
  return <h1>WhyNot</h1>;
}
